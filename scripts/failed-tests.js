// A reporter for Node's test runner that gives the tests that failed, and nothing else: the place, the names from the outermost
// suite, and the error. What ends a long run is then what one looks for.
import { inspect } from 'node:util';

/** The lines of one error: its cause's, where the runner wrapped it. */
function textOf(error) {
  const cause = error?.cause ?? error;
  const text = typeof cause === 'string' ? cause : (cause?.stack ?? cause?.message ?? inspect(cause));
  return text.split('\n').slice(0, 12).join('\n    ');
}

// biome-ignore lint/style/noDefaultExport: the runner takes the default of a module as its reporter.
export default async function* failedTests(source) {
  /** Names of the tests under way, by file, outermost first. */
  const open = new Map();
  for await (const { type, data } of source) {
    const names = open.get(data?.file) ?? [];
    if (type === 'test:start') {
      open.set(data.file, [...names.slice(0, data.nesting), data.name]);
    } else if (type === 'test:fail' && data.details?.error?.failureType !== 'subtestsFailed') {
      const path = [...names.slice(0, data.nesting), data.name].join(' > ');
      yield `${data.file ?? ''}:${data.line ?? 0}\n  ${path}\n    ${textOf(data.details?.error)}\n\n`;
    }
  }
}
