import type { Rows } from '../../domain/parameter-data.ts';
import { type Steps, whole } from '../../turns/steps.ts';
import { fault } from '../base/fault.ts';
import type { MemoryShare } from '../json/json-memory.ts';
import { Byte, endScan, nextElement, openArray, openScan, peek } from '../json/json-scanner.ts';
import { RoundedNumbers } from '../json/rounded-numbers.ts';
import { createScratch, resetScratch } from '../json/scratch.ts';
import { assembleRows } from './assemble-rows.ts';
import { noPause } from './payload.ts';
import type { PayloadLimits } from './payload-limits.ts';
import { openPayload, type Reading, readPayload, wrongType } from './read-payload.ts';
import { createTagMemory } from './tag-memory.ts';

export interface StreamRows {
  readonly streamId: string;
  readonly rows: Rows[];
}

/**
 * Parameter data (contract, section 2), properties in any order:
 *
 *   timestamps    [int64, ...]            ns, added to `epoch`; at most 1,000,000; in any order
 *   epoch         int64                   ns since the Unix epoch, default 0
 *   numericValues { name: [number | "NaN" | "Infinity" | "-Infinity" | null, ...] }
 *   stringValues  { name: [string | null, ...] }    at most 64 KiB each
 *   binaryValues  { name: [base64 | null, ...] }    at most 1 MiB each
 *   tagValues     { name: [string | null, ...] }    at most 256 tags
 *
 * Every array has one element per timestamp. At most 4,096 parameters; names have 1..512 bytes of UTF-8. null is
 * "no value here", and the same as absent for a property and for a whole array. A batch is an array of such
 * objects, each with its `streamId`.
 */
export class ParameterDataDecoder {
  /** Of the body that was read last. */
  readonly rounded = new RoundedNumbers();
  readonly #reading: Reading;

  constructor(limits: PayloadLimits) {
    this.#reading = { limits, scratch: createScratch(), pause: noPause, rounded: this.rounded };
  }

  /**
   * Decodes one payload. No rows come out where every value is null; several `Rows` where it spans 2^53 ns or more.
   * The arrays are valid until the decoder is used again.
   */
  decode(body: Uint8Array, share?: MemoryShare): Rows[] {
    this.begin();
    return this.#decodeOne(body, share);
  }

  /** Decodes a batch, its entries in their order and valid together. One stream may stand twice. */
  decodeBatch(body: Uint8Array, share?: MemoryShare): StreamRows[] {
    this.begin();
    return whole(batchSteps(body, this.#reading, share));
  }

  /** Begins a series of calls of `decodeNext`: what was read before is no longer valid. */
  begin(): void {
    resetScratch(this.#reading.scratch);
    this.rounded.reset();
  }

  /** Decodes one of several bodies, a payload or a batch, which are valid together. What names no stream is of `streamId`. */
  decodeNext(body: Uint8Array, isBatch: boolean, streamId: string, share?: MemoryShare): StreamRows[] {
    this.rounded.reset();
    if (isBatch) return whole(batchSteps(body, this.#reading, share, streamId));
    return [{ streamId, rows: this.#decodeOne(body, share) }];
  }

  #decodeOne(body: Uint8Array, share: MemoryShare | undefined): Rows[] {
    const scan = openScan(body);
    const payload = openPayload(scan, this.#reading, createTagMemory(share), '', false);
    readPayload(payload);
    const rows = whole(assembleRows(payload, payload.timestamps!, payload.epoch, payload.tags));
    endScan(scan);
    return rows;
  }
}

/** How a large body is read. */
export interface StepsForm {
  /** Bytes that are read between two steps. */
  readonly every?: number;
  /** Counts what is rounded. */
  readonly rounded?: RoundedNumbers;
  /** The stream of entries of a batch that name none. */
  readonly otherwise?: string;
}

/** A large payload step by step: what `decode` gives, in memory of its own. The body must stay as it is until the last step. */
export function parameterDataSteps(
  body: Uint8Array,
  limits: PayloadLimits,
  share?: MemoryShare,
  form: StepsForm = {},
): Steps<Rows[]> {
  return payloadSteps(body, readingOf(limits, form), share);
}

/** Decodes a batch in steps; without `otherwise` each entry must name its stream. */
export function parameterDataBatchSteps(
  body: Uint8Array,
  limits: PayloadLimits,
  share?: MemoryShare,
  form: StepsForm = {},
): Steps<StreamRows[]> {
  return batchSteps(body, readingOf(limits, form), share, form.otherwise);
}

function readingOf(
  limits: PayloadLimits,
  { every = bytesOfStep, rounded = new RoundedNumbers() }: StepsForm,
): Reading {
  return { limits, scratch: createScratch(), pause: { at: 0, every }, rounded };
}

/** The bytes of a step: a small part of a millisecond, or half of one where each few bytes are a new tag. */
const bytesOfStep = 16 * 1024;

function* payloadSteps(body: Uint8Array, reading: Reading, share: MemoryShare | undefined): Steps<Rows[]> {
  const scan = openScan(body);
  const payload = openPayload(scan, reading, createTagMemory(share), '', false);
  while (!readPayload(payload)) {
    yield;
    reading.pause.at = scan.at + reading.pause.every;
  }
  const rows = yield* assembleRows(payload, payload.timestamps!, payload.epoch, payload.tags);
  endScan(scan);
  return rows;
}

function* batchSteps(
  body: Uint8Array,
  reading: Reading,
  share: MemoryShare | undefined,
  otherwise?: string,
): Steps<StreamRows[]> {
  const tagMemory = createTagMemory(share);
  const scan = openScan(body);
  const entries: StreamRows[] = [];
  if (peek(scan) !== Byte.OpenArray) throw wrongType(scan, '', 'an array');
  if (openArray(scan)) {
    do {
      if (entries.length === maxEntries) {
        throw fault('invalid_value', '', `has more than ${maxEntries} entries`);
      }
      const prefix = `[${entries.length}].`;
      const payload = openPayload(scan, reading, tagMemory, prefix, true);
      while (!readPayload(payload)) {
        yield;
        reading.pause.at = scan.at + reading.pause.every;
      }
      const { streamId = otherwise, timestamps, epoch, tags } = payload;
      const rows = yield* assembleRows(payload, timestamps!, epoch, tags);
      if (streamId === undefined) throw fault('missing_property', `${prefix}streamId`, 'is missing');
      entries.push({ streamId, rows });
    } while (nextElement(scan));
  }
  endScan(scan);
  return entries;
}

/** The most entries of a batch: each takes more memory than its bytes. */
const maxEntries = 100_000;
