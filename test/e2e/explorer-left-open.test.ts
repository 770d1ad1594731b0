import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type Client, createClient, type EndType } from '../../src/client/client.ts';
import { until } from '../until.ts';
import { browserPages, plotted, skip } from './explorer-page.ts';
import { adminToken, type RunningService, startService, temporaryFolder } from './service.ts';

const topic = 'cars';
const start = 1_800_000_000_000_000_001n;
const second = 1_000_000_000n;

/** A note into a closed run takes two requests: the write, which opens it, and the close. Here the second one fails. */
describe('a closed run that a note has opened', { skip }, async () => {
  if (skip !== false) return;
  const open = browserPages();

  /** A service with a run that is closed so, and a page in which a note for the run is typed, but not saved. */
  async function aboutToWrite(streamId: string, endType: EndType) {
    const dataDir = temporaryFolder();
    let service: RunningService = await startService({ dataDir });
    const { url } = service;
    const client: Client = createClient({ url, token: adminToken });
    const place = { topic, streamIds: [streamId] };
    const writeRow = (row: bigint) =>
      client.writeParameterData(topic, streamId, {
        timestamps: [start + row * second],
        numericValues: { Speed: [Number(row)] },
      });
    for (const row of [0n, 1n, 2n]) await writeRow(row);
    await client.closeStream(topic, streamId, endType);
    const hash = `#s=${topic}/${streamId}&p=Speed&a=${start + second}`;
    const { page } = await open(url, hash, { token: adminToken });
    await plotted(page);
    await page.getByRole('button', { name: 'Write a note at A' }).click();
    await page.getByRole('textbox', { name: 'Text' }).fill('After the end');
    return {
      page,
      writeRow,
      goAway: () => service.stop('SIGKILL'),
      comeBack: async () => {
        service = await startService({ dataDir, args: ['--listen', new URL(url).host] });
      },
      status: async () => (await client.streams(place))[0]!.status,
      text: async () => (await client.eventData({ ...place, eventIds: ['note'] }))['note']?.[0]?.value,
      told: page.getByText(
        `“${streamId}”: open since your note. It is closed again as soon as the service answers.`,
      ),
    };
  }

  const isSaved = (page: Page) => page.locator('dialog.note[open]').waitFor({ state: 'detached' });
  /** What the tab keeps of runs that are yet to be closed. */
  const kept = async (page: Page) =>
    JSON.parse(await page.evaluate('sessionStorage.getItem("pitwall.left-open") ?? "[]"')) as {
      to: number;
    }[];

  /** Saves the note; when the service has written it, `act` comes before the page knows. */
  async function saveAnd(page: Page, act: () => Promise<unknown>, isAnswered = true): Promise<void> {
    await page.route('**/streams/*/events/data', async (route) => {
      const response = await route.fetch();
      await act();
      return isAnswered ? route.fulfill({ response }) : route.abort();
    });
    await page.keyboard.press('Enter');
  }

  it('is closed again, as it was, when a service that went away is back', async () => {
    const { page, goAway, comeBack, told, status, text } = await aboutToWrite('gone', 'Aborted');
    await saveAnd(page, goAway);
    await isSaved(page);
    await told.waitFor();
    await comeBack();
    await told.waitFor({ state: 'detached' });
    assert.equal(await status(), 'Aborted');
    assert.equal(await text(), 'After the end');
    assert.deepEqual(await kept(page), []);
  });

  it('is closed again by the page that was loaded anew', async () => {
    const { page, goAway, comeBack, status } = await aboutToWrite('anew', 'Terminated');
    await saveAnd(page, goAway);
    await isSaved(page);
    await comeBack();
    await page.reload();
    await until(async () => (await status()) === 'Terminated');
  });

  it('stays open where somebody else has written to it meanwhile', async () => {
    const { page, told, status, writeRow } = await aboutToWrite('theirs', 'Closed');
    await saveAnd(page, () => page.context().setOffline(true));
    await isSaved(page);
    await told.waitFor();
    assert.equal(await status(), 'Open');
    // The page knows the clock of the service, which is this one, to a fraction of a second.
    const [left] = await kept(page);
    await until(() => Date.now() > left!.to);
    await writeRow(1n);
    await page.context().setOffline(false);
    const stays = page.getByText(
      '“theirs” was closed and stays open: somebody has written to it since your note.',
    );
    await stays.waitFor();
    assert.equal(await status(), 'Open');
    await page.getByRole('button', { name: 'Hide this line' }).click();
    await stays.waitFor({ state: 'detached' });
    assert.deepEqual(await kept(page), []);
  });

  it('is closed again where the answer to the note was lost, and when it is saved once more', async () => {
    const { page, status, text } = await aboutToWrite('lost', 'Closed');
    await saveAnd(page, () => Promise.resolve(), false);
    await page.getByRole('alert').getByText('The service cannot be reached.').waitFor();
    assert.equal(await text(), 'After the end');
    await page.unrouteAll();
    await page.getByRole('textbox', { name: 'Text' }).fill('After the end, again');
    await page.keyboard.press('Enter');
    await isSaved(page);
    assert.equal(await text(), 'After the end, again');
    assert.equal(await status(), 'Closed');
  });
});
