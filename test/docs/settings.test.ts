import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { describeSettings } from '../../src/config.ts';
import { send, startService } from '../e2e/service.ts';
import { root } from '../root.ts';

const page = readFileSync(join(root, 'docs/operate.md'), 'utf8');

/** The rows of docs/operate.md as the table of settings in src/settings.ts has them. */
function settingRows(): string[] {
  return describeSettings()
    .split('\n')
    .map((line) => {
      const [, name, help, unit, fallback] = /^ {2}(\S+) +(.*) \(([^()]*?)(?:, default (.*))?\)$/.exec(line)!;
      const shown = fallback === undefined ? '' : `\`${fallback}\``;
      return `| \`${name}\` | ${unit} | ${shown} | ${help!.replaceAll('|', '\\|')} |`;
    });
}

describe('the page for operators', () => {
  it('has every setting with its unit, default and meaning', () => {
    const shown = page
      .split('\n')
      .filter((line) => /^\| `(--|PITWALL_)[^|]+\|[^|]+\|[^|]*\|[^|]+\|$/.test(line));
    assert.equal(shown.join('\n'), settingRows().join('\n'));
  });

  it('has every metric of its own that a service shows, and no other', async () => {
    const { url } = await startService();
    const { text } = await send(url, '/metrics');
    const shown = new Set([...text.matchAll(/^# TYPE (pitwall_\w+) /gm)].map(([, name]) => name!));
    const listed = new Set([...page.matchAll(/^\| `(pitwall_\w+)`/gm)].map(([, name]) => name!));
    assert.deepEqual([...listed].sort(), [...shown].sort());
  });
});
