/** Runs a DNS server on loopback for tests. Responds to TXT queries over UDP and TCP with records that a test sets. */
import { createSocket } from "node:dgram";
import { createServer, type Socket } from "node:net";

/** A DNS response: records (with or without an alias), no such name, no TXT records, or no response at all. */
export type NameServerAnswer =
  | readonly (readonly string[])[]
  | { readonly alias: string; readonly records: readonly (readonly string[])[] }
  | "no name"
  | "no records"
  | "silence";

export interface NameServer {
  /** The server's address, in the format of the variable DNS_SERVERS. */
  readonly address: string;
  /** The queried names, in the order of the queries. */
  readonly asked: readonly string[];
  /** Sets the response to queries for a name. The server reports all other names as missing. */
  setAnswer(name: string, outcome: NameServerAnswer): void;
  close(): Promise<void>;
}

const TXT = 16, CNAME = 5, IN = 1;
const HEADER = 12, UDP_MOST = 1232; // the largest UDP response that resolvers accept
const ANSWER = 0x8180, NO_NAME = 3;

export async function openNameServer(): Promise<NameServer> {
  const names = new Map<string, NameServerAnswer>(), asked: string[] = [], open = new Set<Socket>();

  function answer(question: Buffer): Buffer | null {
    const { name, end } = readName(question, HEADER);
    asked.push(name);
    const recordsOfName = names.get(name.toLowerCase()) ?? "no name";
    const outcome = question.readUInt16BE(end) === TXT || typeof recordsOfName === "string"
      ? recordsOfName
      : "no records";
    if (outcome === "silence") return null;
    const records = typeof outcome === "string" ? [] : recordsOf(outcome);
    const header = Buffer.alloc(HEADER);
    question.copy(header, 0, 0, 2);
    header.writeUInt16BE(outcome === "no name" ? ANSWER | NO_NAME : ANSWER, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    return Buffer.concat([header, question.subarray(HEADER, end + 4), ...records]);
  }

  const tcp = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => {}); // the client has disconnected
    socket.on("close", () => open.delete(socket));
    let buffered = Buffer.alloc(0);
    socket.on("data", (bytes: Buffer) => {
      buffered = Buffer.concat([buffered, bytes]);
      if (buffered.length < 2 || buffered.length < 2 + buffered.readUInt16BE(0)) return;
      const reply = answer(buffered.subarray(2, 2 + buffered.readUInt16BE(0)));
      buffered = buffered.subarray(2 + buffered.readUInt16BE(0));
      if (reply) socket.write(Buffer.concat([sixteen(reply.length), reply]));
    });
  });
  await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve));
  const { port } = tcp.address() as { port: number };
  const udp = createSocket("udp4");
  udp.on("message", (question, from) => {
    const reply = answer(question);
    if (reply) udp.send(reply.length > UDP_MOST ? truncated(question, reply) : reply, from.port, from.address);
  });
  await new Promise<void>((resolve) => udp.bind(port, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${port}`,
    asked,
    setAnswer: (name, outcome) => void names.set(name, outcome),
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => udp.close(resolve));
      await new Promise((resolve) => tcp.close(resolve));
    },
  };
}

/** Returns a response that repeats the question and is marked as truncated, so that the client retries over TCP. */
function truncated(question: Buffer, reply: Buffer): Buffer {
  const short = Buffer.from(reply.subarray(0, readName(question, HEADER).end + 4));
  short.writeUInt16BE(reply.readUInt16BE(2) | 0x0200, 2);
  short.writeUInt16BE(0, 6);
  return short;
}

function recordsOf(outcome: Exclude<NameServerAnswer, string>): Buffer[] {
  if (!("alias" in outcome)) return outcome.map((strings) => record(Buffer.from([0xc0, HEADER]), TXT, texts(strings)));
  const alias = writeName(outcome.alias);
  return [
    record(Buffer.from([0xc0, HEADER]), CNAME, alias),
    ...outcome.records.map((strings) => record(alias, TXT, texts(strings))),
  ];
}

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const life = Buffer.alloc(4); // TTL 0: do not cache
  return Buffer.concat([owner, sixteen(type), sixteen(IN), life, sixteen(data.length), data]);
}

function texts(strings: readonly string[]): Buffer {
  return Buffer.concat(strings.map((text) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text, "latin1")])));
}

function sixteen(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}

function writeName(name: string): Buffer {
  return texts([...name.split("."), ""]);
}

function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), end: at + 1 };
}
