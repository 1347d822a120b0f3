package io.upfdataplane.operator.preflight;

/** Where the dataplane will run: what it may do and how it reaches its devices differ. */
public enum Place {
    /** In a privileged pod, into which its devices are moved. */
    POD,
    /** As a child process on this host, or in one of its network namespaces. */
    HOST
}
