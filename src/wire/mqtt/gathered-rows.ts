import type { TagSet } from '../../domain/tags.ts';
import { type Field, type RowsBuilder, rowsBuilder } from '../lines/line-rows.ts';
import type { SeriesOfStream } from '../series/series-rows.ts';

/** A row of a message. */
export interface MessageRow {
  readonly topic: string;
  readonly streamId: string;
  /** ns */
  readonly time: bigint;
  readonly fields: readonly Field[];
}

/**
 * Rows times columns of a block, beyond which another one begins: rows with few fields in common would make a large
 * one.
 */
const mostCells = 65_536;

interface Block {
  readonly topic: string;
  readonly streamId: string;
  readonly rows: RowsBuilder;
}

/**
 * Rows of messages that came together: those of one stream become one block, which is written with less work than
 * many.
 */
export class GatheredRows {
  readonly #maxParameters: number;
  readonly #open = new Map<string, Block>();
  readonly #full: Block[] = [];

  constructor(maxParameters: number) {
    this.#maxParameters = maxParameters;
  }

  add({ topic, streamId, time, fields }: MessageRow, tags: TagSet): void {
    const key = `${topic}\n${streamId}`;
    let block = this.#open.get(key);
    if (block !== undefined) {
      const parameters = block.rows.parametersWith(fields);
      if (parameters > this.#maxParameters || parameters * (block.rows.count() + 1) > mostCells) {
        this.#full.push(block);
        block = undefined;
      }
    }
    if (block === undefined) {
      block = { topic, streamId, rows: rowsBuilder() };
      this.#open.set(key, block);
    }
    block.rows.add(time, tags, fields);
  }

  /** All rows, in the order in which they came for each stream. */
  streams(): SeriesOfStream[] {
    return [...this.#full, ...this.#open.values()].map(({ topic, streamId, rows }) => ({
      topic,
      streamId,
      rows: rows.rows(),
      ends: [],
    }));
  }
}
