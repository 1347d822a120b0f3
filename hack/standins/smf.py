"""An SMF stand-in that speaks PFCP by scapy's contrib.pfcp, so nothing of the dataplane's own codec judges itself.

    smf.py SMF_ADDRESS UPF_ADDRESS

Commands on standard input, each answered by one line of JSON on standard output, with "ok" and what came of it:

    associate
    establish COUNT FIRST_UE FIRST_GNB_TEID GNB_ADDRESS explicit:FIRST_TEID|choose
    tunnel                        tells the UPF the gNB's end of every session that does not have it yet
    delete COUNT                  the newest sessions
    state
    stop                          deletes all sessions, releases the association, ends

Heartbeats go out every second meanwhile, and the UPF's are answered; "state" tells how many of both, and how many had no
answer within 5 s, which is the patience of the least patient SMF we know. Everything received that was not asked for is printed as a line with "kind": "note".
"""
import ipaddress
import json
import select
import socket
import sys
import time

from scapy.contrib.pfcp import (
    PFCP, IE_ApplyAction, IE_CreatedPDR, IE_CreateFAR, IE_CreatePDR, IE_CreateQER, IE_Cause, IE_DestinationInterface,
    IE_FAR_Id, IE_ForwardingParameters, IE_FSEID, IE_FTEID, IE_GateStatus, IE_MBR, IE_NetworkInstance, IE_NodeId,
    IE_OffendingIE, IE_OuterHeaderCreation, IE_OuterHeaderRemoval, IE_PDI, IE_PDR_Id, IE_PDNType, IE_Precedence,
    IE_QER_Id, IE_QFI, IE_RecoveryTimeStamp, IE_SourceInterface, IE_UE_IP_Address, IE_UpdateFAR,
    IE_UpdateForwardingParameters, IE_UPFunctionFeatures, PFCPAssociationReleaseRequest, PFCPAssociationSetupRequest,
    PFCPAssociationSetupResponse, PFCPHeartbeatRequest, PFCPHeartbeatResponse, PFCPSessionDeletionRequest,
    PFCPSessionEstablishmentRequest, PFCPSessionModificationRequest,
)

PFCP_PORT = 8805
T1_SECONDS, N1 = 2.0, 3             # an unanswered request is sent again every T1, N1 times (TS 29.244 §6.4)
EPOCH_1900 = 2208988800
ACCESS, CORE = 0, 1
ACCEPTED = 1
HEARTBEAT_PATIENCE_SECONDS = 5
QFI = 9
MBR_KBPS = 10_000_000


class Refused(Exception):
    pass


class Smf:
    def __init__(self, address, upf):
        self.address, self.upf = address, upf
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((address, PFCP_PORT))
        self.recovery = int(time.time()) + EPOCH_1900
        self.sequence = 0
        self.sessions = []
        self.upf_recovery = None
        self.heartbeats = {"sent": 0, "answered": 0, "missed": 0, "received": 0, "longestMs": 0.0}
        self.pending_heartbeats = {}        # sequence → sent at
        self.next_heartbeat = None

    # ---- node ----

    def associate(self):
        answer = self.ask(PFCPAssociationSetupRequest(IE_list=[
            self.node_id(), IE_RecoveryTimeStamp(timestamp=self.recovery)]))
        self.accepted(answer)
        self.upf_recovery = answer[IE_RecoveryTimeStamp].timestamp
        self.next_heartbeat = time.monotonic()
        features = answer[IE_UPFunctionFeatures] if IE_UPFunctionFeatures in answer else None
        return {"upf": answer[IE_NodeId].ipv4, "choosesTeids": bool(features is not None and features.FTUP)}

    def node_id(self):
        return IE_NodeId(id_type=0, ipv4=self.address)

    # ---- sessions ----

    def establish(self, count, first_ue, first_gnb_teid, gnb, teids):
        how, _, first_teid = teids.partition(":")
        made, began = [], time.monotonic()
        for i in range(int(count)):
            teid = int(first_teid, 0) + i if how == "explicit" else None
            made.append(self.establish_one(
                str(ipaddress.IPv4Address(first_ue) + i), teid, int(first_gnb_teid, 0) + i, gnb))
        return {"sessions": made, "seconds": round(time.monotonic() - began, 3)}

    def establish_one(self, ue, teid, gnb_teid, gnb):
        seid = len(self.sessions) + 1 + int(time.time() * 1000) % 1000 * 1_000_000
        ours = (IE_FTEID(V4=1, TEID=teid, ipv4=self.upf) if teid is not None
                else IE_FTEID(CH=1, V4=1))
        rules = [
            IE_CreatePDR(IE_list=[
                IE_PDR_Id(id=1), IE_Precedence(precedence=255),
                IE_PDI(IE_list=[
                    IE_SourceInterface(interface=ACCESS), ours, IE_NetworkInstance(instance="internet"),
                    IE_UE_IP_Address(V4=1, SD=0, ipv4=ue)]),
                IE_OuterHeaderRemoval(header=0), IE_FAR_Id(id=1), IE_QER_Id(id=1)]),
            IE_CreatePDR(IE_list=[
                IE_PDR_Id(id=2), IE_Precedence(precedence=255),
                IE_PDI(IE_list=[
                    IE_SourceInterface(interface=CORE), IE_NetworkInstance(instance="internet"),
                    IE_UE_IP_Address(V4=1, SD=1, ipv4=ue)]),
                IE_FAR_Id(id=2), IE_QER_Id(id=1)]),
            IE_CreateFAR(IE_list=[
                IE_FAR_Id(id=1), IE_ApplyAction(FORW=1),
                IE_ForwardingParameters(IE_list=[
                    IE_DestinationInterface(interface=CORE), IE_NetworkInstance(instance="internet")])]),
            IE_CreateFAR(IE_list=[IE_FAR_Id(id=2), IE_ApplyAction(DROP=1)]),
            IE_CreateQER(IE_list=[
                IE_QER_Id(id=1), IE_GateStatus(ul=0, dl=0), IE_MBR(ul=MBR_KBPS, dl=MBR_KBPS), IE_QFI(QFI=QFI)]),
            IE_PDNType(pdn_type=1),
        ]
        answer = self.ask(PFCPSessionEstablishmentRequest(IE_list=[
            self.node_id(), IE_FSEID(v4=1, seid=seid, ipv4=self.address)] + rules), seid=0)
        self.accepted(answer)
        if teid is None:
            chosen = [pdr for pdr in answer[PFCP].payload.IE_list if isinstance(pdr, IE_CreatedPDR)]
            teid = next(ie.TEID for pdr in chosen for ie in pdr.IE_list if isinstance(ie, IE_FTEID))
        session = {"ue": ue, "uplinkTeid": teid, "downlinkTeid": gnb_teid, "gnb": gnb, "tunnel": False,
                   "upSeid": answer[IE_FSEID].seid}
        self.sessions.append(session)
        return {key: session[key] for key in ("ue", "uplinkTeid", "downlinkTeid")}

    def tunnel(self):
        waiting = [session for session in self.sessions if not session["tunnel"]]
        for session in waiting:
            answer = self.ask(PFCPSessionModificationRequest(IE_list=[
                IE_UpdateFAR(IE_list=[
                    IE_FAR_Id(id=2), IE_ApplyAction(FORW=1),
                    IE_UpdateForwardingParameters(IE_list=[
                        IE_DestinationInterface(interface=ACCESS), IE_NetworkInstance(instance="internet"),
                        IE_OuterHeaderCreation(GTPUUDPIPV4=1, TEID=session["downlinkTeid"], ipv4=session["gnb"])])])]),
                seid=session["upSeid"])
            self.accepted(answer)
            session["tunnel"] = True
        return {"sessions": len(waiting)}

    def delete(self, count):
        for _ in range(min(int(count), len(self.sessions))):
            self.accepted(self.ask(PFCPSessionDeletionRequest(), seid=self.sessions[-1]["upSeid"]))
            self.sessions.pop()
        return {"left": len(self.sessions)}

    def state(self):
        return {"sessions": len(self.sessions), "heartbeats": self.heartbeats}

    def stop(self):
        deleted = len(self.sessions)
        self.delete(deleted)
        if self.next_heartbeat is not None:
            self.next_heartbeat = None
            self.accepted(self.ask(PFCPAssociationReleaseRequest(IE_list=[self.node_id()])))
        return {"deleted": deleted, "heartbeats": self.heartbeats}

    # ---- messages ----

    def ask(self, request, seid=None):
        """Sends a request until it is answered; what else arrives meanwhile is dealt with."""
        self.sequence += 1
        sequence = self.sequence
        header = PFCP(version=1, S=0, seq=sequence) if seid is None else PFCP(version=1, S=1, seid=seid, seq=sequence)
        packet = bytes(header / request)
        for _ in range(1 + N1):
            self.socket.sendto(packet, (self.upf, PFCP_PORT))
            until = time.monotonic() + T1_SECONDS
            while time.monotonic() < until:
                if select.select([self.socket], [], [], max(0, until - time.monotonic()))[0]:
                    message = self.receive()
                    if message is not None and message.seq == sequence and message.message_type == header_type(packet) + 1:
                        return message
        raise Refused(f"no answer to {request.name} after {1 + N1} attempts of {T1_SECONDS:g} s")

    def receive(self):
        """Takes one message: heartbeats are dealt with here, an answer to a request of ours is returned."""
        data, peer = self.socket.recvfrom(65535)
        message = PFCP(data)
        if isinstance(message.payload, PFCPHeartbeatRequest):
            self.heartbeats["received"] += 1
            self.answer(message, PFCPHeartbeatResponse(IE_list=[IE_RecoveryTimeStamp(timestamp=self.recovery)]), peer)
        elif isinstance(message.payload, PFCPHeartbeatResponse):
            self.heartbeat_answered(message)
        elif isinstance(message.payload, PFCPAssociationSetupRequest):
            tell(kind="note", text="the UPF asked for an association; accepted")
            self.answer(message, PFCPAssociationSetupResponse(IE_list=[
                self.node_id(), IE_Cause(cause=ACCEPTED), IE_RecoveryTimeStamp(timestamp=self.recovery)]), peer)
        elif message.message_type % 2:
            return message
        elif message.message_type in (6, 8, 10, 51, 53, 55):
            return message
        else:
            tell(kind="note", text=f"unexpected {message.payload.name} from {peer[0]}")
        return message

    def answer(self, request, response, peer):
        self.socket.sendto(bytes(PFCP(version=1, S=0, seq=request.seq) / response), peer)

    def accepted(self, answer):
        cause = answer[IE_Cause].cause
        if cause != ACCEPTED:
            offending = f", offending IE {answer[IE_OffendingIE].type}" if IE_OffendingIE in answer else ""
            raise Refused(f"{answer.payload.name}: cause {cause}{offending}")

    # ---- heartbeats ----

    def heartbeat(self):
        now = time.monotonic()
        if self.next_heartbeat is None or now < self.next_heartbeat:
            return
        for sequence, sent_at in list(self.pending_heartbeats.items()):
            if now - sent_at > HEARTBEAT_PATIENCE_SECONDS:
                self.heartbeats["missed"] += 1
                del self.pending_heartbeats[sequence]
        self.sequence += 1
        self.pending_heartbeats[self.sequence] = now
        self.next_heartbeat = now + 1
        self.heartbeats["sent"] += 1
        self.socket.sendto(bytes(PFCP(version=1, S=0, seq=self.sequence) / PFCPHeartbeatRequest(
            IE_list=[IE_RecoveryTimeStamp(timestamp=self.recovery)])), (self.upf, PFCP_PORT))

    def heartbeat_answered(self, message):
        sent_at = self.pending_heartbeats.pop(message.seq, None)
        if sent_at is None:
            return
        waited_ms = (time.monotonic() - sent_at) * 1000
        self.heartbeats["answered"] += 1
        self.heartbeats["longestMs"] = round(max(self.heartbeats["longestMs"], waited_ms), 1)
        recovery = message[IE_RecoveryTimeStamp].timestamp
        if recovery != self.upf_recovery:
            tell(kind="note", text=f"the UPF's Recovery Time Stamp moved from {self.upf_recovery} to {recovery}")
            self.upf_recovery = recovery


def header_type(packet):
    return packet[1]


def tell(**what):
    print(json.dumps(what), flush=True)


def main(address, upf):
    smf = Smf(address, upf)
    commands = {name: getattr(smf, name) for name in ("associate", "establish", "tunnel", "delete", "state", "stop")}
    tell(kind="ready")
    buffered = b""
    while True:
        readable, _, _ = select.select([smf.socket, 0], [], [], 0.1)
        if smf.socket in readable:
            smf.receive()
        smf.heartbeat()
        if 0 not in readable:
            continue
        chunk = sys.stdin.buffer.raw.read(4096)
        if not chunk:
            return
        buffered += chunk
        while b"\n" in buffered:
            line, buffered = buffered.split(b"\n", 1)
            name, *arguments = line.decode().split() or [""]
            try:
                tell(kind=name, ok=True, **commands[name](*arguments))
            except Refused as refused:
                tell(kind=name, ok=False, reason=str(refused))
            except KeyError:
                tell(kind=name, ok=False, reason=f"unknown command {name}")
            if name == "stop":
                return


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
