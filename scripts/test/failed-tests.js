// A reporter for Node's test runner that gives the tests that failed, and nothing else: the place, the names from the outermost
// suite, and the error. What ends a long run is then what one looks for. Of a file that hung it gives the tests that ran then.
import { inspect } from 'node:util';

/** Of one error: a page that failed tells how it stood. */
const mostLines = 100;

/** The lines of one error: its cause's, where the runner wrapped it. */
function textOf(error) {
  const cause = error?.cause ?? error;
  const text = typeof cause === 'string' ? cause : (cause?.stack ?? cause?.message ?? inspect(cause));
  return text.split('\n').slice(0, mostLines).join('\n    ');
}

/** The tests that run, by their files; what a room runs is named by the file that it loads. */
function listed(running) {
  const lines = [...running]
    .filter(([file, names]) => names.length > 0 && names[0] !== file)
    .map(([file, names]) => `    ${file}: ${names.join(' > ')}\n`);
  return lines.length === 0 ? '    no test: something kept the file from ending\n' : lines.join('');
}

// biome-ignore lint/style/noDefaultExport: the runner takes the default of a module as its reporter.
export default async function* failedTests(source) {
  /** Names of the tests under way, by file, outermost first. */
  const open = new Map();
  /** The same of tests that run: what begins is told at once, what comes of it in the order of the file. */
  const running = new Map();
  for await (const { type, data } of source) {
    const names = open.get(data?.file) ?? [];
    const isFile = data?.name === data?.file;
    if (type === 'test:start') {
      open.set(data.file, [...names.slice(0, data.nesting), data.name]);
    } else if (type === 'test:dequeue') {
      running.set(data.file, [...(running.get(data.file) ?? []).slice(0, data.nesting), data.name]);
    } else if (type === 'test:complete' && !isFile) {
      running.set(data.file, running.get(data.file)?.slice(0, data.nesting) ?? []);
    } else if (type === 'test:fail' && data.details?.error?.failureType !== 'subtestsFailed') {
      const path = [...names.slice(0, data.nesting), data.name].join(' > ');
      yield `${data.file ?? ''}:${data.line ?? 0}\n  ${path}\n    ${textOf(data.details?.error)}\n\n`;
      const hung = isFile && data.details?.error?.failureType === 'testTimeoutFailure';
      if (hung) yield `  What ran then:\n${listed(running)}\n`;
      if (isFile) running.delete(data.file);
    }
  }
}
