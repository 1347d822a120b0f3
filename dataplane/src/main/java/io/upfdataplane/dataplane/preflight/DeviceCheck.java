package io.upfdataplane.dataplane.preflight;

/** A check that looks at both devices; while one is missing, which InterfaceExists says, it cannot answer. */
interface DeviceCheck extends Check {}
