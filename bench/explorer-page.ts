import { writeFileSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

export const browserPath = '/usr/bin/chromium';

/** What a stretch of work did to the page. Times in milliseconds. */
export interface Stretch {
  readonly frames: number;
  /** Between two frames. */
  readonly frameP50: number;
  readonly frameP99: number;
  readonly longestFrame: number;
  readonly longestTask: number;
  /** Tasks of more than 100 ms, and the share of the time that they took, 0 to 1. */
  readonly longTasks: number;
  readonly longShare: number;
  /** Processor time of the page's main thread, which others on the machine do not change much. */
  readonly processorMs: number;
  /** The same of each task of it, the longest and the 99th of a hundred: what a frame has to wait for. */
  readonly longestWork: number;
  readonly workP99: number;
  readonly tookMs: number;
  /** Of the page's scripts after a collection of garbage, MB: before and behind. */
  readonly heapBefore: number;
  readonly heapAfter: number;
  readonly requests: number;
  /** Of all answers with rows, as they came over the wire. */
  readonly bytes: number;
  readonly largestAnswer: number;
}

/** What the page has after a collection of garbage. */
export interface Kept {
  readonly heapMb: number;
  /** Of typed arrays, beside the heap. */
  readonly arraysMb: number;
  /** Of its documents, whether they are seen or not. */
  readonly nodes: number;
  readonly listeners: number;
}

export interface MeasuredPage {
  readonly page: Page;
  measure(work: () => Promise<void>): Promise<Stretch>;
  kept(): Promise<Kept>;
  close(): Promise<void>;
}

/** Keeps the times of frames and of tasks above 50 ms (which is what browsers tell of) in the page. */
const recorder = `
  globalThis.recorded = { frames: [], tasks: [], since: performance.now() };
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) recorded.tasks.push({ startTime, duration });
  }).observe({ type: 'longtask' });
  const onFrame = (now) => {
    recorded.frames.push(now);
    requestAnimationFrame(onFrame);
  };
  requestAnimationFrame(onFrame);
`;

/** Opens the explorer, signed in, in a browser of its own. The last stretch's trace is written to a file, if one is named. */
export async function openMeasuredPage(
  url: string,
  token: string,
  traceFile: string | undefined,
): Promise<MeasuredPage> {
  const browser: Browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 1600 } });
  await page.addInitScript(recorder);
  await page.goto(`${url}/icon.svg`);
  await page.evaluate(`sessionStorage.setItem('pitwall.token', ${JSON.stringify(token)})`);
  await page.goto(url);
  await page.locator('.app').waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const kept = async (): Promise<Kept> => {
    await session.send('HeapProfiler.collectGarbage');
    const { metrics } = await session.send('Performance.getMetrics');
    const metric = (name: string) => metrics.find((own) => own.name === name)?.value ?? Number.NaN;
    const { usedSize, backingStorageSize } = await session.send('Runtime.getHeapUsage');
    return {
      heapMb: usedSize / 1e6,
      arraysMb: backingStorageSize / 1e6,
      nodes: metric('Nodes'),
      listeners: metric('JSEventListeners'),
    };
  };
  let answers: number[] = [];
  page.on('requestfinished', (request) => {
    if (!request.url().includes('/parameters/data')) return;
    request.sizes().then(
      ({ responseBodySize }) => answers.push(responseBodySize),
      () => undefined,
    );
  });
  return {
    page,
    kept,
    async measure(work) {
      answers = [];
      const before = await kept();
      await browser.startTracing(page, {
        categories: traceFile === undefined ? ['toplevel'] : detailedCategories,
      });
      // To collect garbage and to begin and end a trace holds frames, too: these are not of the work.
      await page.evaluate('recorded.frames = []; recorded.tasks = []; recorded.since = performance.now()');
      await work();
      const { frames, tasks, took } = (await page.evaluate(
        '({ ...recorded, took: performance.now() - recorded.since })',
      )) as { frames: number[]; tasks: { duration: number }[]; took: number };
      const trace = await browser.stopTracing();
      if (traceFile !== undefined) writeFileSync(traceFile, trace);
      const works = taskTimes(trace);
      const after = await kept();
      const gaps = frames.slice(1).map((time, i) => time - frames[i]!);
      gaps.sort((a, b) => a - b);
      const durations = tasks.map(({ duration }) => duration);
      const long = durations.filter((duration) => duration > 100);
      return {
        frames: frames.length,
        frameP50: gaps[Math.floor(gaps.length * 0.5)] ?? Number.NaN,
        frameP99: gaps[Math.floor(gaps.length * 0.99)] ?? Number.NaN,
        longestFrame: gaps.at(-1) ?? Number.NaN,
        longestTask: Math.max(0, ...durations),
        longTasks: long.length,
        longShare: long.reduce((sum, duration) => sum + duration, 0) / took,
        processorMs: works.reduce((sum, own) => sum + own, 0),
        longestWork: works.at(-1) ?? Number.NaN,
        workP99: works[Math.floor(works.length * 0.99)] ?? Number.NaN,
        tookMs: took,
        heapBefore: before.heapMb,
        heapAfter: after.heapMb,
        requests: answers.length,
        bytes: answers.reduce((sum, bytes) => sum + bytes, 0),
        largestAnswer: Math.max(0, ...answers),
      };
    },
    close: () => browser.close(),
  };
}

/** What Chromium's own tools show of a trace. They cost time themselves. */
const detailedCategories = [
  'toplevel',
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
  'v8',
  'disabled-by-default-v8.cpu_profiler',
  '__metadata',
];

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** When it began, and how long it took, microseconds. */
  readonly ts: number;
  readonly dur?: number;
  /** Processor time, microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Processor times of tasks of the page's main thread, ms, the shortest first: of the busiest, where there are several pages. */
function taskTimes(trace: Buffer): number[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const mains = traceEvents.filter(
    ({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain',
  );
  const times = mains.map((main) =>
    traceEvents
      .filter(({ name, pid, tid }) => /RunTask$/.test(name) && pid === main.pid && tid === main.tid)
      .sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0))
      .filter(isOutermost())
      .map(({ tdur = 0 }) => tdur / 1000)
      .sort((a, b) => a - b),
  );
  const sum = (own: readonly number[]) => own.reduce((total, time) => total + time, 0);
  return times.sort((a, b) => sum(b) - sum(a))[0] ?? [];
}

/** Whether an event is part of none before it, events given in order. Newer browsers tell of each task twice, one within the other. */
function isOutermost(): (event: TraceEvent) => boolean {
  let end = Number.NEGATIVE_INFINITY;
  return ({ ts, dur = 0 }) => {
    if (ts < end) return false;
    end = ts + dur;
    return true;
  };
}
