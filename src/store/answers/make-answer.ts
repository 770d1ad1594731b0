import type { ResultBlock } from '../../domain/result.ts';
import { valuesBefore } from '../../query/answer/look-back.ts';
import type { CountRows } from '../../query/bounds/running-queries.ts';
import { type AggregatePlan, isAggregate, shapeOf } from '../../query/plan/plan.ts';
import { encodeParameterData } from '../../wire/answers/parameter-data-json.ts';
import type { AnswerRequest, AnswerTerms, MadeAnswer, RowReader, RowsRequest } from './answer.ts';
import { collectRows } from './collect-rows.ts';
import { eventAnswer } from './event-answer.ts';
import { createResultRows } from './result-rows.ts';
import { tableAnswer } from './table-answer.ts';

/** Makes an answer of what a reader gives, on the thread that calls. JSON is collected before its first chunk. */
export async function makeAnswer(
  request: AnswerRequest,
  reader: RowReader,
  terms: Pick<AnswerTerms, 'take' | 'countAnswered'>,
): Promise<MadeAnswer> {
  switch (request.kind) {
    case 'rows':
      return rowsAnswer(request, reader, terms);
    case 'events':
      return eventAnswer(request, reader, terms);
    case 'tagValues':
      return textAnswer(await reader.tagValues(request.plans[0], request.tag));
    default:
      return textAnswer(await reader.tagNames(request.plans[0]));
  }
}

async function rowsAnswer(
  { plans, groupBy, form, int64AsString, maxBytes }: RowsRequest,
  reader: RowReader,
  { take, countAnswered }: Pick<AnswerTerms, 'take' | 'countAnswered'>,
): Promise<MadeAnswer> {
  const plan = plans.length === 1 ? plans[0] : await lookingBack(plans, reader, take);
  const shape = shapeOf(plan, groupBy);
  if (form === 'json') {
    const { blocks, rows, nextCursor } = await collectRows(reader, plan, groupBy, maxBytes, take);
    countAnswered(rows);
    return { chunks: encodeParameterData(blocks, shape, { int64AsString }), nextCursor };
  }
  const blocks = isAggregate(plan)
    ? reader.aggregate(plan, 0)
    : resultBlocks(reader.run(plan, 0), createResultRows(groupBy));
  return {
    chunks: await tableAnswer(form, counted(blocks, countAnswered), shape, take),
    nextCursor: undefined,
  };
}

async function lookingBack(
  [plan, before]: readonly [AggregatePlan, AggregatePlan],
  reader: RowReader,
  take: AnswerTerms['take'],
): Promise<AggregatePlan> {
  return { ...plan, before: await valuesBefore(plan, before, reader.aggregate(before, 1), take) };
}

function textAnswer(value: unknown): MadeAnswer {
  return { chunks: [Buffer.from(JSON.stringify(value))], nextCursor: undefined };
}

async function* resultBlocks<Rows>(
  blocks: AsyncIterable<Rows>,
  toResult: (block: Rows) => ResultBlock,
): AsyncGenerator<ResultBlock> {
  for await (const block of blocks) yield toResult(block);
}

async function* counted(blocks: AsyncIterable<ResultBlock>, count: CountRows): AsyncGenerator<ResultBlock> {
  for await (const block of blocks) {
    count(block.count);
    yield block;
  }
}
