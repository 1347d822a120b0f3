package io.upfdataplane.dataplane.port.afpacket;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A classic BPF program being written (Linux {@code filter.rst}): one accumulator A, one index register X, words of
 * scratch memory. A jump goes on at the next instruction, or to a label further down. One thread.
 */
final class ClassicBpf {
    /** sizeof(struct sock_filter): u16 code; u8 jt; u8 jf; u32 k. */
    private static final int INSTRUCTION_BYTES = 8;

    private static final int LD_W_ABS = 0x20;
    private static final int LD_H_ABS = 0x28;
    private static final int LD_B_ABS = 0x30;
    private static final int LD_W_LEN = 0x80;
    private static final int LD_MEM = 0x60;
    private static final int LD_W_IND = 0x40;
    private static final int LD_H_IND = 0x48;
    private static final int LD_B_IND = 0x50;
    private static final int LDX_MEM = 0x61;
    private static final int LDX_B_MSH = 0xb1;
    private static final int ST = 0x02;
    private static final int TAX = 0x07;
    private static final int TXA = 0x87;
    private static final int ADD_K = 0x04;
    private static final int ADD_X = 0x0c;
    private static final int SUB_X = 0x1c;
    private static final int MUL_K = 0x24;
    private static final int MOD_K = 0x94;
    private static final int AND_K = 0x54;
    private static final int LSH_K = 0x64;
    private static final int RSH_K = 0x74;
    private static final int JA = 0x05;
    private static final int JEQ_K = 0x15;
    private static final int JGT_K = 0x25;
    private static final int JGE_K = 0x35;
    private static final int JGE_X = 0x3d;
    private static final int JSET_K = 0x45;
    private static final int RET_K = 0x06;
    private static final int RET_A = 0x16;

    private record Instruction(int code, String ifTrue, String ifFalse, int k) {}

    private static final String NEXT = "";

    private final List<Instruction> instructions = new ArrayList<>();
    private final Map<String, Integer> labels = new HashMap<>();

    ClassicBpf word(int offset) {
        return add(LD_W_ABS, offset);
    }

    ClassicBpf half(int offset) {
        return add(LD_H_ABS, offset);
    }

    ClassicBpf octet(int offset) {
        return add(LD_B_ABS, offset);
    }

    ClassicBpf wordAtX(int offset) {
        return add(LD_W_IND, offset);
    }

    ClassicBpf halfAtX(int offset) {
        return add(LD_H_IND, offset);
    }

    ClassicBpf octetAtX(int offset) {
        return add(LD_B_IND, offset);
    }

    /** A = length of the packet. */
    ClassicBpf length() {
        return add(LD_W_LEN, 0);
    }

    /** X = 4 × the low four bits of an octet: the length of an IPv4 header. */
    ClassicBpf xFromHeaderLength(int offset) {
        return add(LDX_B_MSH, offset);
    }

    ClassicBpf load(int memory) {
        return add(LD_MEM, memory);
    }

    ClassicBpf loadX(int memory) {
        return add(LDX_MEM, memory);
    }

    ClassicBpf store(int memory) {
        return add(ST, memory);
    }

    ClassicBpf xFromA() {
        return add(TAX, 0);
    }

    ClassicBpf aFromX() {
        return add(TXA, 0);
    }

    ClassicBpf plus(int k) {
        return add(ADD_K, k);
    }

    ClassicBpf plusX() {
        return add(ADD_X, 0);
    }

    ClassicBpf minusX() {
        return add(SUB_X, 0);
    }

    ClassicBpf times(int k) {
        return add(MUL_K, k);
    }

    ClassicBpf modulo(int k) {
        return add(MOD_K, k);
    }

    ClassicBpf and(int k) {
        return add(AND_K, k);
    }

    ClassicBpf shiftLeft(int k) {
        return add(LSH_K, k);
    }

    ClassicBpf shiftRight(int k) {
        return add(RSH_K, k);
    }

    ClassicBpf go(String label) {
        instructions.add(new Instruction(JA, label, NEXT, 0));
        return this;
    }

    ClassicBpf ifEqual(int k, String label) {
        return jump(JEQ_K, k, label, NEXT);
    }

    ClassicBpf unlessEqual(int k, String label) {
        return jump(JEQ_K, k, NEXT, label);
    }

    /** Unsigned, as all comparisons. */
    ClassicBpf ifAbove(int k, String label) {
        return jump(JGT_K, k, label, NEXT);
    }

    ClassicBpf unlessAtLeast(int k, String label) {
        return jump(JGE_K, k, NEXT, label);
    }

    ClassicBpf unlessAtLeastX(String label) {
        return jump(JGE_X, 0, NEXT, label);
    }

    ClassicBpf ifAnySet(int k, String label) {
        return jump(JSET_K, k, label, NEXT);
    }

    ClassicBpf unlessAnySet(int k, String label) {
        return jump(JSET_K, k, NEXT, label);
    }

    ClassicBpf result(int k) {
        return add(RET_K, k);
    }

    ClassicBpf resultA() {
        return add(RET_A, 0);
    }

    ClassicBpf label(String name) {
        labels.put(name, instructions.size());
        return this;
    }

    /** {@code struct sock_fprog} with the program behind it, living as long as {@code arena}. */
    MemorySegment assemble(Arena arena) {
        MemorySegment code = arena.allocate((long) instructions.size() * INSTRUCTION_BYTES, 8);
        for (int i = 0; i < instructions.size(); i++) {
            Instruction instruction = instructions.get(i);
            long at = (long) i * INSTRUCTION_BYTES;
            boolean isJump = instruction.code == JA;
            int ifTrue = distance(i, instruction.ifTrue);
            int ifFalse = distance(i, instruction.ifFalse);
            code.set(ValueLayout.JAVA_SHORT, at, (short) instruction.code);
            code.set(ValueLayout.JAVA_BYTE, at + 2, (byte) (isJump ? 0 : ifTrue));
            code.set(ValueLayout.JAVA_BYTE, at + 3, (byte) ifFalse);
            code.set(ValueLayout.JAVA_INT, at + 4, isJump ? ifTrue : instruction.k);
        }
        MemorySegment program = arena.allocate(16, 8);
        program.set(ValueLayout.JAVA_SHORT, 0, (short) instructions.size());
        program.set(ValueLayout.JAVA_LONG, 8, code.address());
        return program;
    }

    private int distance(int from, String label) {
        if (label.equals(NEXT)) {
            return 0;
        }
        Integer target = labels.get(label);
        if (target == null || target <= from || target - from - 1 > 255) {
            throw new IllegalStateException("jump to " + label + " from instruction " + from);
        }
        return target - from - 1;
    }

    private ClassicBpf add(int code, int k) {
        instructions.add(new Instruction(code, NEXT, NEXT, k));
        return this;
    }

    private ClassicBpf jump(int code, int k, String ifTrue, String ifFalse) {
        instructions.add(new Instruction(code, ifTrue, ifFalse, k));
        return this;
    }
}
