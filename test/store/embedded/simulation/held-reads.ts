import type { Answer, DataRequest } from '../../../query/reference.ts';
import { type AnsweredRow, ask } from './ask-store.ts';
import { certainRequest, compareRows, expectedAnswer } from './comparisons.ts';
import type { World } from './world.ts';

/** A read that has begun: its snapshot stays open over what happens meanwhile. */
export interface HeldRead {
  finish(): Promise<number>;
}

/** Begins to read; what is to come is compared with what was there at the beginning. */
export async function holdRead(world: World, workspace: string, asked: DataRequest): Promise<void> {
  const request = certainRequest(world.plain, workspace, asked);
  if (request === undefined) return;
  const answer: Answer = expectedAnswer(world.plain, workspace, request);
  const blocks = ask(world.store, workspace, request);
  const found: AnsweredRow[] = [];
  const first = await blocks.next();
  if (first.done !== true) found.push(...first.value);
  world.heldReads.push({
    async finish() {
      for await (const block of blocks) found.push(...block);
      return compareRows(found, answer, request, `a read of ${workspace} that was held`);
    },
  });
}

export async function finishReads(world: World): Promise<void> {
  const held = world.heldReads;
  world.heldReads = [];
  for (const read of held) world.counts.rows += await read.finish();
}
