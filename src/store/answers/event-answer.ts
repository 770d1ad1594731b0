import { PitwallError } from '../../errors.ts';
import { isAggregate } from '../../query/plan/plan.ts';
import {
  createEventAnswer,
  type EventBlock,
  tagsOfColumns,
  tagsOfSets,
} from '../../wire/answers/event-data-json.ts';
import type { RowBlock } from '../row-block.ts';
import type { AnswerTerms, EventsRequest, MadeAnswer, RowReader } from './answer.ts';
import { createResultRows } from './result-rows.ts';

/** Collects the events of all plans of a request. Rejects with `result_too_large`. */
export async function eventAnswer(
  request: EventsRequest,
  reader: RowReader,
  { take, countAnswered }: Pick<AnswerTerms, 'take' | 'countAnswered'>,
): Promise<MadeAnswer> {
  const { plans, firsts, maxBytes } = request;
  const answer = createEventAnswer(request);
  let bytes = 0;
  for (let place = 0; place < plans.length; place++) {
    for await (const block of eventBlocks(request, place, reader)) {
      const grown = answer.add(block, firsts[place]!);
      bytes += grown;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      take(grown);
    }
  }
  const { chunks, rows } = answer.finish();
  countAnswered(rows);
  return { chunks, nextCursor: undefined };
}

async function* eventBlocks(
  { plans, groupBy }: EventsRequest,
  place: number,
  reader: RowReader,
): AsyncGenerator<EventBlock> {
  const plan = plans[place]!;
  if (isAggregate(plan)) {
    for await (const block of reader.aggregate(plan, place)) {
      yield { ...block, tags: tagsOfColumns(block, plan.groupBy) };
    }
    return;
  }
  const toResult = createResultRows(groupBy ?? []);
  /** Blocks share their tag sets. */
  let last: { readonly sets: RowBlock['tagSets']; readonly json: readonly string[] } | undefined;
  for await (const block of reader.run(plan, place)) {
    if (groupBy !== undefined) {
      yield { ...block, tags: tagsOfColumns(toResult(block), groupBy) };
    } else {
      const sets = block.tagSets;
      if (last?.sets !== sets) last = { sets, json: tagsOfSets(sets) };
      yield { ...block, tags: { json: last.json, index: block.tagIndex } };
    }
  }
}

function tooLarge(maxBytes: number): PitwallError {
  return new PitwallError('result_too_large', {
    detail: `the answer would take more than ${maxBytes} bytes; ask for less time, fewer events or fewer streams`,
  });
}
