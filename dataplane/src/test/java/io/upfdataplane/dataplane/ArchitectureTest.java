package io.upfdataplane.dataplane;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The rooms and who sees whom, as ARCHITECTURE.md has them. */
class ArchitectureTest {
    private static final String ROOT = "io.upfdataplane.dataplane.";

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.upfdataplane.dataplane");

    /** Each room and the rooms it may see besides itself and {@code metrics}. */
    private static final Map<String, String[]> SEES = Map.ofEntries(
            Map.entry("memory", new String[] {}),
            Map.entry("wire", new String[] {"memory"}),
            Map.entry("rule", new String[] {}),
            Map.entry("match", new String[] {"rule", "wire", "memory"}),
            Map.entry("apply", new String[] {"rule", "wire", "match", "memory"}),
            Map.entry("ffi", new String[] {"memory"}),
            Map.entry("port", new String[] {"memory", "ffi", "wire"}),
            Map.entry("handover", new String[] {"rule", "wire", "match", "apply", "memory"}),
            Map.entry("worker", new String[] {"port", "rule", "wire", "match", "apply", "handover", "memory", "ffi"}),
            Map.entry("bench", new String[] {"worker", "port", "rule", "wire", "apply", "handover", "memory", "ffi"}),
            Map.entry("nexthop", new String[] {"apply", "ffi", "memory"}),
            Map.entry("pfcp", new String[] {}),
            Map.entry("session", new String[] {"pfcp", "rule", "handover"}),
            Map.entry("config", new String[] {}),
            Map.entry("probe", new String[] {"ffi", "config"}),
            Map.entry("preflight", new String[] {"config", "probe", "port"}),
            Map.entry("metrics", new String[] {}));

    @TestFactory
    Stream<DynamicTest> everyRoomSeesOnlyItsNeighbours() {
        return SEES.entrySet().stream()
                .map(room -> DynamicTest.dynamicTest(
                        room.getKey(),
                        () -> classes()
                                .that()
                                .resideInAPackage(ROOT + room.getKey() + "..")
                                .should()
                                .onlyDependOnClassesThat(isOneOf(room.getKey(), room.getValue()))
                                .allowEmptyShould(true)
                                .check(CLASSES)));
    }

    @Test
    void backendsDoNotSeeEachOther() {
        for (String backend : new String[] {"memory", "afpacket", "afxdp"}) {
            String[] others = Stream.of("memory", "afpacket", "afxdp")
                    .filter(b -> !b.equals(backend))
                    .map(b -> ROOT + "port." + b + "..")
                    .toArray(String[]::new);
            noClasses()
                    .that()
                    .resideInAPackage(ROOT + "port." + backend + "..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(others)
                    .allowEmptyShould(true)
                    .check(CLASSES);
        }
    }

    @Test
    void onlyFfiUsesTheLinker() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + "ffi..")
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.lang.foreign.Linker")
                .check(CLASSES);
    }

    @Test
    void nobodyUsesUnsafe() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("sun.misc..")
                .check(CLASSES);
    }

    private static DescribedPredicate<JavaClass> isOneOf(String own, String[] seen) {
        return DescribedPredicate.describe("are in " + own + ", " + Arrays.toString(seen) + " or outside", target -> {
            String name = target.getPackageName();
            if (!name.startsWith("io.upfdataplane.")) {
                return true;
            }
            return Stream.concat(Stream.of(own, "metrics"), Arrays.stream(seen))
                    .anyMatch(room -> name.equals(ROOT + room) || name.startsWith(ROOT + room + "."));
        });
    }
}
