import assert from 'node:assert/strict';
import type { Files } from '../../../src/store/embedded/files/files.ts';
import { CommitLog } from '../../../src/store/embedded/log/commit-log.ts';
import { type RecordPlace, recordHeaderBytes } from '../../../src/store/embedded/log/log-record.ts';
import { type RecoveredLog, recoverLog, settleLog } from '../../../src/store/embedded/log/log-recovery.ts';
import { openSegments } from '../../../src/store/embedded/log/log-segments.ts';
import type { LogState } from '../../../src/store/embedded/log/log-state.ts';
import { type SectionDraft, SectionType } from '../../../src/store/embedded/log/sections.ts';
import { isSpare } from '../../../src/store/embedded/log/segment-names.ts';
import { type Slab, slabMemory } from '../../../src/store/embedded/log/slab.ts';
import { slabSizes } from '../../../src/store/embedded/log/slab-sizes.ts';

/** What stands outside the log and outlives a process: the manifest, and the records that went to parts. */
export interface Surroundings {
  appliedLsn: number;
  sequence: number;
  readonly flushed: FoundBody[];
}

/** A record by the number that its body carries. */
export interface FoundBody {
  readonly id: number;
  readonly lsn: number;
}

export function surroundings(): Surroundings {
  return { appliedLsn: 0, sequence: 0, flushed: [] };
}

/** One process on the log: a start with recovery, then a commit log, and a flusher that does what it is told. */
export interface LogRun {
  readonly log: CommitLog;
  readonly recovered: RecoveredLog;
  /** Records that the start found in the log, in LSN order, each whole. */
  readonly found: readonly FoundBody[];
  /** Records applied by this process, in the order of it. */
  readonly applied: FoundBody[];
  readonly states: LogState[];
  /** Appends the record `id` with a section of `bytes`, a multiple of 8. */
  append(id: number, bytes: number, freesSpace?: boolean): Promise<void>;
  /** The same in slices, each step of which waits until `mayGoOn`. */
  appendLong(id: number, bytes: number, mayGoOn?: () => boolean): Promise<void>;
  /** Appends a record of these bytes, which is not read when it is applied. */
  appendBytes(content: Uint8Array): Promise<void>;
  /** Closed slabs that wait to be flushed. */
  readonly waiting: number;
  /** Moves the oldest closed slab to the parts and gives its segment free. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** @param firstBytes of the smallest slab; all are of one size without it */
export async function startLog(
  files: Files,
  outside: Surroundings,
  slabBytes: number,
  firstBytes = slabBytes,
): Promise<LogRun> {
  const recovered = await recoverLog(files, outside.appliedLsn);
  const waiting: { slab: Slab; bodies: FoundBody[] }[] = recovered.slabs.map(({ slab, records }) => ({
    slab,
    bodies: records.map((record) => readBody(slab, record)),
  }));
  const found = waiting.flatMap(({ bodies }) => bodies);
  const failure = await settleLog(files, recovered);
  const segments = await openSegments(files, firstBytes, (await files.list()).filter(isSpare));
  for (const sequence of recovered.obsolete) await segments.recycle(sequence);

  const bodiesOf = new Map<Slab, FoundBody[]>();
  const applied: FoundBody[] = [];
  const states: LogState[] = [];
  const unread = new Set<number>();
  const apply = (slab: Slab, place: RecordPlace): void => {
    if (unread.has(place.lsn)) return;
    const body = readBody(slab, place);
    applied.push(body);
    const bodies = bodiesOf.get(slab);
    if (bodies === undefined) bodiesOf.set(slab, [body]);
    else bodies.push(body);
  };
  const log = new CommitLog({
    segments,
    memory: slabMemory(slabBytes),
    sizes: slabSizes(slabBytes, firstBytes),
    nextSequence: 1 + Math.max(recovered.lastSequence, outside.sequence),
    nextLsn: recovered.lastLsn + 1,
    clock: () => 1000,
    onClosed(slab) {
      const bodies = bodiesOf.get(slab);
      if (bodies === undefined) segments.recycle(slab.sequence).catch(() => undefined);
      else waiting.push({ slab, bodies });
    },
    onStateChange: (state) => states.push(state),
    applier: {
      *prepare(slab, place) {
        yield;
        return () => apply(slab, place);
      },
      apply(slab, place, show) {
        if (show === undefined) apply(slab, place);
        else show();
      },
    },
    longBytes: 0,
    probeIntervalMs: 0,
  });
  if (failure !== undefined) log.fail(failure);
  return {
    log,
    recovered,
    found,
    applied,
    states,
    append: (id, bytes, freesSpace = false) => log.append({ sections: [sectionOf(id, bytes, freesSpace)] }),
    appendLong(id, bytes, mayGoOn = () => true) {
      const section: SectionDraft = {
        ...sectionOf(id, bytes, false),
        *steps(slab, at) {
          const body = bodyOf(id, bytes);
          for (let done = 0; done < body.length; done += 64) {
            while (!mayGoOn()) yield;
            slab.bytes.set(body.subarray(done, done + 64), at + done);
            yield;
          }
        },
      };
      return log.append({ sections: [section], onCopied: () => undefined });
    },
    appendBytes: (content) =>
      log.append({
        sections: [sectionOfBytes(content, false)],
        before: ({ lsn }) => unread.add(lsn),
      }),
    get waiting() {
      return waiting.length;
    },
    async flush() {
      const next = waiting.shift();
      if (next === undefined) return;
      outside.flushed.push(...next.bodies);
      outside.appliedLsn = next.slab.lastLsn;
      outside.sequence = next.slab.sequence;
      await segments.recycle(next.slab.sequence);
    },
    async close() {
      await log.close();
      await segments.close();
    },
  };
}

const sectionHeadBytes = 8;

/** The one section of a record, with a body of `bytes`. */
function sectionOf(id: number, bytes: number, frees: boolean): SectionDraft {
  return sectionOfBytes(bodyOf(id, bytes), frees);
}

function sectionOfBytes(body: Uint8Array, frees: boolean): SectionDraft {
  return {
    type: frees ? SectionType.DeleteStreams : SectionType.Rows,
    bytes: body.length,
    write: (slab, at) => slab.bytes.set(body, at),
  };
}

/** Content that tells its number and can be told from half of it. */
export function bodyOf(id: number, bytes: number): Uint8Array {
  const body = new Uint8Array(bytes);
  const words = new Uint32Array(body.buffer);
  for (let i = 0; i < words.length; i++) words[i] = Math.imul(id + 1, 0x9e3779b1) + i;
  words[0] = id;
  return body;
}

export function readBody(slab: Slab, { at, length, lsn }: RecordPlace): FoundBody {
  const start = at + recordHeaderBytes + sectionHeadBytes;
  const id = slab.u32[start >> 2]!;
  const bytes = length - sectionHeadBytes;
  assert.deepEqual(
    Buffer.compare(slab.bytes.subarray(start, start + bytes), bodyOf(id, bytes)),
    0,
    `record ${id} is not whole`,
  );
  return { id, lsn };
}
