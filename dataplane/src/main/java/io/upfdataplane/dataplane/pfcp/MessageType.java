package io.upfdataplane.dataplane.pfcp;

/** Message types (TS 29.244 §7.3). */
public final class MessageType {
    public static final int HEARTBEAT_REQUEST = 1;
    public static final int HEARTBEAT_RESPONSE = 2;
    public static final int PFD_MANAGEMENT_REQUEST = 3;
    public static final int ASSOCIATION_SETUP_REQUEST = 5;
    public static final int ASSOCIATION_SETUP_RESPONSE = 6;
    public static final int ASSOCIATION_UPDATE_REQUEST = 7;
    public static final int ASSOCIATION_RELEASE_REQUEST = 9;
    public static final int ASSOCIATION_RELEASE_RESPONSE = 10;
    public static final int VERSION_NOT_SUPPORTED_RESPONSE = 11;
    public static final int SESSION_SET_DELETION_REQUEST = 14;
    public static final int SESSION_SET_MODIFICATION_REQUEST = 16;
    public static final int SESSION_ESTABLISHMENT_REQUEST = 50;
    public static final int SESSION_ESTABLISHMENT_RESPONSE = 51;
    public static final int SESSION_MODIFICATION_REQUEST = 52;
    public static final int SESSION_MODIFICATION_RESPONSE = 53;
    public static final int SESSION_DELETION_REQUEST = 54;
    public static final int SESSION_DELETION_RESPONSE = 55;

    private MessageType() {}

    /** Session messages have a SEID in their header (TS 29.244 §7.2.2.4). */
    public static boolean isSessionMessage(int type) {
        return type >= SESSION_ESTABLISHMENT_REQUEST && type < 100;
    }

    /** The name used in logs and metrics. */
    public static String name(int type) {
        return switch (type) {
            case HEARTBEAT_REQUEST -> "HeartbeatRequest";
            case HEARTBEAT_RESPONSE -> "HeartbeatResponse";
            case PFD_MANAGEMENT_REQUEST -> "PfdManagementRequest";
            case PFD_MANAGEMENT_REQUEST + 1 -> "PfdManagementResponse";
            case ASSOCIATION_SETUP_REQUEST -> "AssociationSetupRequest";
            case ASSOCIATION_SETUP_RESPONSE -> "AssociationSetupResponse";
            case ASSOCIATION_UPDATE_REQUEST -> "AssociationUpdateRequest";
            case ASSOCIATION_UPDATE_REQUEST + 1 -> "AssociationUpdateResponse";
            case ASSOCIATION_RELEASE_REQUEST -> "AssociationReleaseRequest";
            case ASSOCIATION_RELEASE_RESPONSE -> "AssociationReleaseResponse";
            case VERSION_NOT_SUPPORTED_RESPONSE -> "VersionNotSupportedResponse";
            case SESSION_SET_DELETION_REQUEST -> "SessionSetDeletionRequest";
            case SESSION_SET_DELETION_REQUEST + 1 -> "SessionSetDeletionResponse";
            case SESSION_SET_MODIFICATION_REQUEST -> "SessionSetModificationRequest";
            case SESSION_SET_MODIFICATION_REQUEST + 1 -> "SessionSetModificationResponse";
            case SESSION_ESTABLISHMENT_REQUEST -> "SessionEstablishmentRequest";
            case SESSION_ESTABLISHMENT_RESPONSE -> "SessionEstablishmentResponse";
            case SESSION_MODIFICATION_REQUEST -> "SessionModificationRequest";
            case SESSION_MODIFICATION_RESPONSE -> "SessionModificationResponse";
            case SESSION_DELETION_REQUEST -> "SessionDeletionRequest";
            case SESSION_DELETION_RESPONSE -> "SessionDeletionResponse";
            default -> "Type" + type;
        };
    }
}
