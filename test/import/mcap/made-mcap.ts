import { McapWriter } from '@mcap/core';

/** Log time of the first message, ns. */
export const start = 1_700_000_000_000_000_001n;

/** A channel with its messages. */
export interface MadeChannel {
  readonly topic: string;
  readonly encoding: string;
  readonly schema?: { readonly name: string; readonly encoding: string; readonly data: Uint8Array };
  /** By turns; undefined where it has none in a turn. */
  readonly messages: readonly (Uint8Array | undefined)[];
}

/** What a made file has besides messages, and the times of these. */
export interface MadeOptions {
  readonly useChunks?: boolean;
  /** Of the message of each turn, ns; each 10 ms later without it. */
  readonly logTimes?: readonly bigint[];
  readonly publishTimes?: readonly bigint[];
  readonly metadata?: readonly (readonly [name: string, entries: Readonly<Record<string, string>>])[];
  readonly attachments?: readonly string[];
  /** Whether the file has the summary that its messages need not. */
  readonly useSummary?: boolean;
}

export type Compress = (bytes: Uint8Array) => { compression: string; compressedData: Uint8Array };

/** A file that the official writer of the format wrote; messages of all channels in turns, 10 ms apart. */
export async function makeMcap(
  channels: readonly MadeChannel[],
  compressChunk?: Compress,
  {
    logTimes,
    publishTimes,
    metadata = [],
    attachments = [],
    useSummary = true,
    ...options
  }: MadeOptions = {},
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0n;
  const writable = {
    position: () => size,
    async write(bytes: Uint8Array) {
      parts.push(bytes.slice());
      size += BigInt(bytes.length);
    },
  };
  const writer = new McapWriter({
    writable,
    chunkSize: 200,
    ...(!useSummary && {
      useStatistics: false,
      useSummaryOffsets: false,
      useChunkIndex: false,
      useMessageIndex: false,
      repeatSchemas: false,
      repeatChannels: false,
    }),
    ...options,
    ...(compressChunk && { compressChunk }),
  });
  await writer.start({ profile: '', library: 'test' });
  for (const [name, entries] of metadata)
    await writer.addMetadata({ name, metadata: new Map(Object.entries(entries)) });
  for (const name of attachments) {
    await writer.addAttachment({
      name,
      logTime: start,
      createTime: start,
      mediaType: 'text/plain',
      data: Buffer.from('ABC'),
    });
  }
  const ids: number[] = [];
  for (const { topic, encoding, schema } of channels) {
    const schemaId = schema === undefined ? 0 : await writer.registerSchema(schema);
    ids.push(
      await writer.registerChannel({ schemaId, topic, messageEncoding: encoding, metadata: new Map() }),
    );
  }
  const most = Math.max(...channels.map(({ messages }) => messages.length));
  for (let i = 0; i < most; i++) {
    for (const [c, { messages }] of channels.entries()) {
      if (messages[i] === undefined) continue;
      const logTime = logTimes?.[i] ?? start + BigInt(i) * 10_000_000n;
      await writer.addMessage({
        channelId: ids[c]!,
        sequence: i,
        logTime,
        publishTime: publishTimes?.[i] ?? 0n,
        data: messages[i]!,
      });
    }
  }
  await writer.end();
  return Buffer.concat(parts);
}
