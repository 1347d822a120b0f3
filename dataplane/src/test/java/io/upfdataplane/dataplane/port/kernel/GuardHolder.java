package io.upfdataplane.dataplane.port.kernel;

import io.upfdataplane.dataplane.testbed.NetNamespaceFixture;

/** A process that raises the guard in a namespace and waits to be killed. */
final class GuardHolder {
    private GuardHolder() {}

    public static void main(String[] arguments) throws Exception {
        // The first thread of a JVM is not the process's: its namespace is its own.
        NetNamespaceFixture.enter(arguments[0]);
        KernelGuard.raise(KernelGuardIT.PLAN);
        System.out.println("raised");
        Thread.sleep(60_000);
    }
}
