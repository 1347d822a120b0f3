/** The operator: custom resource → model → preflight → plan → rendered objects → pod or child process. */
@NullMarked
package io.upfdataplane.operator;

import org.jspecify.annotations.NullMarked;
