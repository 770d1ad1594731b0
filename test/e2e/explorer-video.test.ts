import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../until.ts';
import { browserPages, plotted, serviceWithCars, skip } from './explorer-page.ts';
import { peek, timeOf } from './explorer-peek.ts';

const seconds = 20;

/** Sound as WAVE (RIFF, PCM of 8 bits), which every browser plays and finds any place in: a film without pictures. */
function wave(): Buffer {
  const rate = 8000;
  const samples = Buffer.from(
    Uint8Array.from({ length: seconds * rate }, (_, i) => 128 + 20 * Math.sin(i / 9)),
  );
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

/** A time as the page tells it, with some digits of a second. */
function textOf(time: bigint, digits = 3): string {
  const [day, clock] = new Date(Number(time / 1_000_000n)).toISOString().split('T');
  const rest = String(time % 1_000_000_000n).padStart(9, '0');
  return `${day} ${clock!.slice(0, 8)}.${rest.slice(0, digits)}`;
}

describe('a film in the explorer', { skip }, async () => {
  if (skip !== false) return;
  const { service, client, start } = await serviceWithCars();
  const open = browserPages();
  const filmAt = (page: Page) =>
    page.locator('video').evaluate((video) => (video as unknown as { currentTime: number }).currentTime);
  const cursorAt = async (page: Page) => {
    const { cursor } = await peek(page);
    return cursor === ''
      ? undefined
      : Number(timeOf(`${cursor}000000000`.replace(/(\.\d{9})\d*$/, '$1')) - start) / 1e9;
  };

  const beginsAt = async (page: Page, time: bigint) => {
    const field = page.getByLabel('Begins at (UTC)');
    await field.fill(textOf(time, 9));
    await field.press('Enter');
    await page.waitForURL((url) => url.hash.includes(`video=${time}`));
  };

  it('is in step with the cursor: it goes where that goes, and takes it along; it is sent nowhere', async () => {
    const range = `from=${start + 10_000_000_000n}&to=${start + 30_000_000_000n}`;
    const { page, faults } = await open(
      service.url,
      `#s=cars/practice&p=Speed&beside=video&${range}&panel=none`,
      {
        token: service.token,
      },
    );
    await plotted(page);
    const sent: string[] = [];
    page.on('request', (request) => {
      if ((request.postDataBuffer()?.length ?? 0) > 10_000) sent.push(request.url());
    });
    const panel = page.getByRole('region', { name: 'Video' });
    await panel
      .getByLabel('Video file')
      .setInputFiles({ name: 'lap.wav', mimeType: 'audio/wav', buffer: wave() });
    const begin = start + 8_500_000_000n;
    await beginsAt(page, begin);

    // The film goes with the cursor.
    const frame = (await page.locator('.plot .u-over').boundingBox())!;
    for (const share of [0.25, 0.6]) {
      await page.mouse.move(frame.x + frame.width * share, frame.y + 60);
      await until(async () => Math.abs((await filmAt(page)) - (10 + 20 * share - 8.5)) < 0.1);
    }

    // Moved by a frame, and playing, it takes the cursor along.
    await page.mouse.move(frame.x + frame.width / 2, frame.y + frame.height + 60);
    const before = await filmAt(page);
    await panel.getByRole('button', { name: 'A frame on' }).click();
    await until(async () => Math.abs((await filmAt(page)) - before - 0.04) < 0.01);
    await until(async () => Math.abs((await cursorAt(page))! - (await filmAt(page)) - 8.5) < 0.02);
    await page.locator('video').evaluate((video) => (video as unknown as { play(): Promise<void> }).play());
    await until(async () => ((await cursorAt(page)) ?? 0) > before + 8.5 + 0.3);
    await page.locator('video').evaluate((video) => (video as unknown as { pause(): void }).pause());

    // A frame that one knows is put to A.
    await panel.getByRole('checkbox', { name: 'in step' }).uncheck();
    const at = await filmAt(page);
    await page.mouse.click(frame.x + frame.width / 4, frame.y + 60);
    await page.waitForURL(/&a=/);
    assert.equal(await filmAt(page), at);
    await panel.getByRole('button', { name: 'This frame is at A' }).click();
    await page.waitForURL((url) => !url.hash.includes(`video=${begin}`));
    const fields = new URLSearchParams(new URL(page.url()).hash.slice(1));
    const off = Number(BigInt(fields.get('a')!) - BigInt(fields.get('video')!)) / 1e9 - at;
    assert.ok(Math.abs(off) < 1e-6, `${off} s beside A`);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.waitForURL((url) => url.hash.includes(`video=${begin}`));
    assert.deepEqual(sent, []);
    assert.deepEqual(faults, []);
  });

  it('stays where it was put when earlier rows come, and beside another run; its ends are told', async () => {
    const rows = (from: number, to: number) => {
      const timestamps = Array.from(
        { length: to - from },
        (_, i) => start + BigInt(from + i) * 1_000_000_000n,
      );
      return { timestamps, numericValues: { Speed: timestamps.map((_, i) => i) } };
    };
    await client.writeParameterData('film', 'run', rows(0, 60));
    await client.writeParameterData('film', 'earlier', rows(-100, 60));
    const range = `from=${start}&to=${start + 40_000_000_000n}`;
    const opening = { token: service.token };
    const { page, faults } = await open(
      service.url,
      `#s=film/run&p=Speed&beside=video&${range}&panel=none`,
      opening,
    );
    const choose = () =>
      page.getByLabel('Video file').setInputFiles({ name: 'lap.wav', mimeType: 'audio/wav', buffer: wave() });
    const pointAt = async (share: number) => {
      await plotted(page);
      const frame = (await page.locator('.plot .u-over').boundingBox())!;
      await page.mouse.move(frame.x + frame.width * share, frame.y + 60);
    };
    await plotted(page);
    await choose();
    // Until somebody says when, it begins with the run.
    await pointAt(0.25);
    await until(async () => Math.abs((await filmAt(page)) - 10) < 0.1);
    const begin = start + 10_000_000_000n;
    await beginsAt(page, begin);
    await pointAt(0.5);
    await until(async () => Math.abs((await filmAt(page)) - 10) < 0.1);

    // Outside of it a frame stands still: it says so.
    const ends = page.locator('.video .ends');
    assert.equal(await ends.textContent(), '');
    await pointAt(0.1);
    await until(async () => (await ends.textContent()) === `The film begins at ${textOf(begin)}.`);
    assert.equal(await filmAt(page), 0);
    await pointAt(0.9);
    await until(
      async () => (await ends.textContent()) === `The film ended at ${textOf(begin + 20_000_000_000n)}.`,
    );
    await pointAt(0.6);
    await until(async () => (await ends.textContent()) === '');
    await pointAt(0.9);
    await ends.getByText('The film ended at').waitFor();
    await page.getByRole('checkbox', { name: 'in step' }).uncheck();
    await until(async () => (await ends.textContent()) === '');

    await client.writeParameterData('film', 'run', rows(-50, -40));
    for (const runs of ['s=film/run', 's=film/earlier&s=film/run']) {
      const hash = new URL(page.url()).hash.replace(/s=.*?&(?=p=)/, `${runs}&`);
      await page.goto('about:blank');
      await page.goto(`${service.url}/${hash}`);
      await plotted(page);
      await choose();
      await pointAt(0.5);
      await until(async () => Math.abs((await filmAt(page)) - 10) < 0.1);
    }
    assert.deepEqual(faults, []);
  });

  it('that the browser cannot play is said to be so', async () => {
    const { page } = await open(service.url, '#s=cars/practice&p=Speed&beside=video', {
      token: service.token,
    });
    await plotted(page);
    const buffer = Buffer.from('no film');
    await page.getByLabel('Video file').setInputFiles({ name: 'odd.mp4', mimeType: 'video/mp4', buffer });
    await page.getByText('This browser cannot play odd.mp4.').waitFor();
  });
});
