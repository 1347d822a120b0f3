package io.upfdataplane.dataplane.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/**
 * libbpf 1.x: loads and attaches BPF programs and reads and writes their maps. A failed call returns the negative errno.
 * Any thread; what the calls are about belongs to one at a time.
 */
public final class Libbpf {
    public static final int BPF_ANY = 0;
    private static final int BPF_XDP = 37;

    private static final Linker LINKER = Linker.nativeLinker();

    private final MethodHandle objectOpenMem;
    private final MethodHandle objectLoad;
    private final MethodHandle objectClose;
    private final MethodHandle findProgramByName;
    private final MethodHandle programFd;
    private final MethodHandle findMapByName;
    private final MethodHandle mapFd;
    private final MethodHandle mapSetMaxEntries;
    private final MethodHandle mapUpdateElem;
    private final MethodHandle mapLookupElem;
    private final MethodHandle mapDeleteElem;
    private final MethodHandle linkCreate;
    private final MethodHandle xdpAttach;
    private final MethodHandle xdpDetach;
    private final MethodHandle xdpQuery;
    private final MethodHandle progGetFdById;
    private final MethodHandle objGetInfoByFd;
    private final MethodHandle linkGetNextId;
    private final MethodHandle linkGetFdById;
    private final MethodHandle progTestRunOpts;
    private final MethodHandle numPossibleCpus;

    /**
     * Loads the library.
     *
     * @throws IllegalArgumentException when it is not installed
     */
    public Libbpf() {
        SymbolLookup library = SymbolLookup.libraryLookup("libbpf.so.1", Arena.global());
        // struct bpf_object *bpf_object__open_mem(const void *buf, size_t size, const struct bpf_object_open_opts
        // *opts)
        objectOpenMem = LINKER.downcallHandle(
                library.findOrThrow("bpf_object__open_mem"),
                FunctionDescriptor.of(JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS),
                Linker.Option.captureCallState("errno"));
        // int bpf_object__load(struct bpf_object *object)
        objectLoad = function(library, "bpf_object__load", JAVA_LONG);
        // void bpf_object__close(struct bpf_object *object)
        objectClose =
                LINKER.downcallHandle(library.findOrThrow("bpf_object__close"), FunctionDescriptor.ofVoid(JAVA_LONG));
        // struct bpf_program *bpf_object__find_program_by_name(const struct bpf_object *object, const char *name)
        findProgramByName = LINKER.downcallHandle(
                library.findOrThrow("bpf_object__find_program_by_name"),
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, ADDRESS));
        // int bpf_program__fd(const struct bpf_program *program)
        programFd = function(library, "bpf_program__fd", JAVA_LONG);
        // struct bpf_map *bpf_object__find_map_by_name(const struct bpf_object *object, const char *name)
        findMapByName = LINKER.downcallHandle(
                library.findOrThrow("bpf_object__find_map_by_name"),
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, ADDRESS));
        // int bpf_map__fd(const struct bpf_map *map)
        mapFd = function(library, "bpf_map__fd", JAVA_LONG);
        // int bpf_map__set_max_entries(struct bpf_map *map, __u32 max_entries)
        mapSetMaxEntries = function(library, "bpf_map__set_max_entries", JAVA_LONG, JAVA_INT);
        // int bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags)
        mapUpdateElem = function(library, "bpf_map_update_elem", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG);
        // int bpf_map_lookup_elem(int fd, const void *key, void *value)
        mapLookupElem = function(library, "bpf_map_lookup_elem", JAVA_INT, ADDRESS, ADDRESS);
        // int bpf_map_delete_elem(int fd, const void *key)
        mapDeleteElem = function(library, "bpf_map_delete_elem", JAVA_INT, ADDRESS);
        // int bpf_link_create(int prog_fd, int target_fd, enum bpf_attach_type type, const struct bpf_link_create_opts
        // *opts)
        linkCreate = function(library, "bpf_link_create", JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS);
        // int bpf_xdp_attach(int ifindex, int prog_fd, __u32 flags, const struct bpf_xdp_attach_opts *opts)
        xdpAttach = function(library, "bpf_xdp_attach", JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS);
        // int bpf_xdp_detach(int ifindex, __u32 flags, const struct bpf_xdp_attach_opts *opts)
        xdpDetach = function(library, "bpf_xdp_detach", JAVA_INT, JAVA_INT, ADDRESS);
        // int bpf_xdp_query(int ifindex, int flags, struct bpf_xdp_query_opts *opts)
        xdpQuery = function(library, "bpf_xdp_query", JAVA_INT, JAVA_INT, ADDRESS);
        // int bpf_prog_get_fd_by_id(__u32 id)
        progGetFdById = function(library, "bpf_prog_get_fd_by_id", JAVA_INT);
        // int bpf_obj_get_info_by_fd(int fd, void *info, __u32 *info_len)
        objGetInfoByFd = function(library, "bpf_obj_get_info_by_fd", JAVA_INT, ADDRESS, ADDRESS);
        // int bpf_link_get_next_id(__u32 start_id, __u32 *next_id)
        linkGetNextId = function(library, "bpf_link_get_next_id", JAVA_INT, ADDRESS);
        // int bpf_link_get_fd_by_id(__u32 id)
        linkGetFdById = function(library, "bpf_link_get_fd_by_id", JAVA_INT);
        // int bpf_prog_test_run_opts(int prog_fd, struct bpf_test_run_opts *opts)
        progTestRunOpts = function(library, "bpf_prog_test_run_opts", JAVA_INT, ADDRESS);
        // int libbpf_num_possible_cpus(void)
        numPossibleCpus = function(library, "libbpf_num_possible_cpus");
        // libbpf_print_fn_t libbpf_set_print(libbpf_print_fn_t fn): silence, what matters is in errno and the log
        MethodHandle setPrint = LINKER.downcallHandle(
                library.findOrThrow("libbpf_set_print"), FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
        try {
            long unused = (long) setPrint.invokeExact(0L);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /**
     * Opens an ELF object; nothing is loaded yet.
     *
     * @param kernelLog takes the verifier's words when loading fails
     * @return the object, or the negative errno
     */
    public long objectOpen(MemorySegment elf, MemorySegment kernelLog) {
        try (Arena arena = Arena.ofConfined()) {
            // struct bpf_object_open_opts: size_t sz at 0, ..., char *kernel_log_buf at 56, size_t kernel_log_size at
            // 64,
            // __u32 kernel_log_level at 72
            MemorySegment options = arena.allocate(80, 8);
            options.set(JAVA_LONG, 0, 80);
            options.set(ADDRESS, 56, kernelLog);
            options.set(JAVA_LONG, 64, kernelLog.byteSize());
            MemorySegment captured = arena.allocate(Linker.Option.captureStateLayout());
            long object = (long) objectOpenMem.invokeExact(captured, elf, elf.byteSize(), options);
            long errnoOffset =
                    Linker.Option.captureStateLayout().byteOffset(MemoryLayout.PathElement.groupElement("errno"));
            return object == 0 ? -captured.get(JAVA_INT, errnoOffset) : object;
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    public int objectLoad(long object) {
        try {
            return (int) objectLoad.invokeExact(object);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    public void objectClose(long object) {
        try {
            objectClose.invokeExact(object);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /** Descriptor of a loaded program. */
    public int programFd(long object, String name) {
        try (Arena arena = Arena.ofConfined()) {
            long program = (long) findProgramByName.invokeExact(object, arena.allocateFrom(name));
            return program == 0 ? -Errno.ENOENT : (int) programFd.invokeExact(program);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /** Descriptor of a map of a loaded object. */
    public int mapFd(long object, String name) {
        try (Arena arena = Arena.ofConfined()) {
            long map = (long) findMapByName.invokeExact(object, arena.allocateFrom(name));
            return map == 0 ? -Errno.ENOENT : (int) mapFd.invokeExact(map);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /** Sizes a map before its object is loaded. */
    public int mapSetMaxEntries(long object, String name, int entries) {
        try (Arena arena = Arena.ofConfined()) {
            long map = (long) findMapByName.invokeExact(object, arena.allocateFrom(name));
            return map == 0 ? -Errno.ENOENT : (int) mapSetMaxEntries.invokeExact(map, entries);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    public int mapUpdate(int map, MemorySegment key, MemorySegment value) {
        try {
            return (int) mapUpdateElem.invokeExact(map, key, value, (long) BPF_ANY);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    public int mapLookup(int map, MemorySegment key, MemorySegment value) {
        try {
            return (int) mapLookupElem.invokeExact(map, key, value);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    public int mapDelete(int map, MemorySegment key) {
        try {
            return (int) mapDeleteElem.invokeExact(map, key);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /** Attaches an XDP program for as long as the descriptor returned is open. */
    public int xdpLinkCreate(int program, int ifindex, int flags) {
        try (Arena arena = Arena.ofConfined()) {
            // struct bpf_link_create_opts: size_t sz at 0, __u32 flags at 8, up to the end of kprobe_multi
            MemorySegment options = arena.allocate(64, 8);
            options.set(JAVA_LONG, 0, 64);
            options.set(JAVA_INT, 8, flags);
            return (int) linkCreate.invokeExact(program, ifindex, BPF_XDP, options);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /** Attaches an XDP program by netlink: it stays until it is detached. */
    public int xdpAttach(int ifindex, int program, int flags) {
        try {
            return (int) xdpAttach.invokeExact(ifindex, program, flags, MemorySegment.NULL);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    public int xdpDetach(int ifindex, int flags) {
        try {
            return (int) xdpDetach.invokeExact(ifindex, flags, MemorySegment.NULL);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /** The id of the XDP program on a device in the given mode; 0 when there is none. */
    public int xdpProgramId(int ifindex, int modeFlag) {
        try (Arena arena = Arena.ofConfined()) {
            // struct bpf_xdp_query_opts: size_t sz, __u32 prog_id, drv_prog_id, hw_prog_id, skb_prog_id, u8 attach_mode
            MemorySegment options = arena.allocate(32, 8);
            options.set(JAVA_LONG, 0, 32);
            int result = (int) xdpQuery.invokeExact(ifindex, 0, options);
            if (result < 0) {
                return result;
            }
            return options.get(JAVA_INT, modeFlag == IfXdp.XDP_FLAGS_SKB_MODE ? 20 : 12);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /** The name of the program with this id, at most 15 characters; empty when it has gone meanwhile. */
    public String programName(int id) {
        try (Arena arena = Arena.ofConfined()) {
            int fd = (int) progGetFdById.invokeExact(id);
            if (fd < 0) {
                return "";
            }
            // struct bpf_prog_info: char name[16] at 64
            MemorySegment info = arena.allocate(80, 8);
            MemorySegment length = arena.allocateFrom(JAVA_INT, 80);
            int result = (int) objGetInfoByFd.invokeExact(fd, info, length);
            Libc.close(fd);
            return result < 0 ? "" : info.getString(64, StandardCharsets.US_ASCII);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /**
     * Whether a link holds the program with this id where it is attached, which only a living process (or a pin) can do;
     * what was attached by netlink stays when its process is killed. Needs Linux 5.8.
     */
    public boolean isHeldByLink(int program) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment next = arena.allocate(JAVA_INT);
            // struct bpf_link_info: __u32 type, id, prog_id, and by type
            MemorySegment info = arena.allocate(64, 8);
            MemorySegment length = arena.allocate(JAVA_INT);
            int id = 0;
            while ((int) linkGetNextId.invokeExact(id, next) == 0) {
                id = next.get(JAVA_INT, 0);
                int fd = (int) linkGetFdById.invokeExact(id);
                if (fd < 0) {
                    continue; // it has gone meanwhile
                }
                length.set(JAVA_INT, 0, 64);
                int result = (int) objGetInfoByFd.invokeExact(fd, info, length);
                Libc.close(fd);
                if (result >= 0 && info.get(JAVA_INT, 8) == program) {
                    return true;
                }
            }
            return false;
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /**
     * Runs an XDP program once on a packet that seems to come in on the loopback device.
     *
     * @return the action, e.g. XDP_PASS
     */
    public int programTestRun(int program, MemorySegment packet) {
        try (Arena arena = Arena.ofConfined()) {
            // struct bpf_test_run_opts: sz 0, data_in 8, data_out 16, data_size_in 24, data_size_out 28, ctx_in 32,
            // ctx_out 40, ctx_size_in 48, ctx_size_out 52, retval 56, repeat 60, duration 64, flags 68, cpu 72, batch
            // 76
            MemorySegment options = arena.allocate(80, 8);
            options.set(JAVA_LONG, 0, 80);
            options.set(ADDRESS, 8, packet);
            options.set(JAVA_INT, 24, (int) packet.byteSize());
            options.set(JAVA_INT, 60, 1);
            int result = (int) progTestRunOpts.invokeExact(program, options);
            return result < 0 ? result : options.get(JAVA_INT, 56);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /** How many values a per-CPU map has for each key. */
    public int possibleCpus() {
        try {
            return (int) numPossibleCpus.invokeExact();
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    private static MethodHandle function(SymbolLookup library, String name, MemoryLayout... arguments) {
        return LINKER.downcallHandle(library.findOrThrow(name), FunctionDescriptor.of(JAVA_INT, arguments));
    }

    /** A handle's own types never fail; what else comes out of it is an error of the virtual machine. */
    private static AssertionError impossible(Throwable thrown) {
        return new AssertionError("call into libbpf", thrown);
    }
}
