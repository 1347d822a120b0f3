package io.upfdataplane.operator;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The rooms and who sees whom, as ARCHITECTURE.md has them. */
class ArchitectureTest {
    private static final String ROOT = "io.upfdataplane.operator.";

    /** A room sees those before it. */
    private static final List<String> FLOW = List.of("api", "model", "preflight", "plan", "render", "status");

    private static final List<String> RINGS = List.of("reconcile", "standalone");

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.upfdataplane.operator");

    @TestFactory
    Stream<DynamicTest> everyRoomSeesOnlyThoseBeforeIt() {
        return IntStream.range(0, FLOW.size()).mapToObj(i -> sees(FLOW.get(i), FLOW.subList(0, i + 1)));
    }

    @TestFactory
    Stream<DynamicTest> theRingsSeeTheCoreAndNotEachOther() {
        return RINGS.stream()
                .map(ring ->
                        sees(ring, Stream.concat(FLOW.stream(), Stream.of(ring)).toList()));
    }

    @Test
    void onlyReconcileTalksToAnApiServer() {
        noClasses()
                .that()
                .resideInAnyPackage(Stream.concat(FLOW.stream(), Stream.of("standalone"))
                        .map(room -> ROOT + room + "..")
                        .toArray(String[]::new))
                .should()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "are clients of an API server",
                        target -> target.getPackageName().startsWith("io.javaoperatorsdk")
                                || target.getPackageName().startsWith("io.quarkus")
                                || target.getPackageName().startsWith("io.fabric8.kubernetes.client")
                                        && !target.getSimpleName().equals("CustomResource")))
                .check(CLASSES);
    }

    @Test
    void theCoreKnowsNoClockAndNoEnvironment() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        FLOW.stream().map(room -> ROOT + room + "..").toArray(String[]::new))
                .should()
                .callMethod(System.class, "getenv")
                .orShould()
                .callMethod(System.class, "getenv", String.class)
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(java.time.Instant.class, "now")
                .check(CLASSES);
    }

    @Test
    void nobodySeesTheDataplane() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.upfdataplane.dataplane..")
                .check(CLASSES);
    }

    private static DynamicTest sees(String room, List<String> seen) {
        return DynamicTest.dynamicTest(
                room,
                () -> classes()
                        .that()
                        .resideInAPackage(ROOT + room + "..")
                        .should()
                        .onlyDependOnClassesThat(DescribedPredicate.describe(
                                "are in " + seen + " or outside", target -> {
                                    JavaClass type = target.getBaseComponentType();
                                    return !type.getPackageName().startsWith("io.upfdataplane.")
                                            || seen.stream()
                                                    .anyMatch(s -> type.getPackageName()
                                                            .equals(ROOT + s));
                                }))
                        .check(CLASSES));
    }
}
