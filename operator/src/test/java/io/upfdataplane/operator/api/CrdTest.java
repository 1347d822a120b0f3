package io.upfdataplane.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The checked-in CRDs are those that the Java types make; {@code -Dcrds.write=true} writes them. */
class CrdTest {
    @ParameterizedTest
    @ValueSource(classes = {UpfDataplane.class, UpfNodeReport.class})
    void theCheckedInCrdIsTheGeneratedOne(Class<? extends HasMetadata> type) throws IOException {
        Path file = Path.of("..", "crds", HasMetadata.getFullResourceName(type) + ".yaml");
        String generated = CrdFile.of(type);
        if (Boolean.getBoolean("crds.write")) {
            Files.writeString(file, generated);
        }
        assertThat(file).as("run the test with -Dcrds.write=true to write it").hasContent(generated);
    }
}
