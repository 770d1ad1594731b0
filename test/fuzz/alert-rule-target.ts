import assert from 'node:assert/strict';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Webhook } from '../../src/domain/alert.ts';
import { PitwallError } from '../../src/errors.ts';
import {
  alertRuleJson,
  decodeAlertRule,
  decodeStoredRule,
  storedRuleBody,
} from '../../src/wire/requests/alert-rule.ts';
import { mutate } from './mutate.ts';
import type { Random } from './random.ts';
import type { Target } from './target.ts';

const corpus = [
  '{"expression": "WaterTemp > 120", "for": "2s", "clear": "WaterTemp < 110", "level": "Warning", "text": "hot"}',
  '{"expression": "a", "noDataFor": "1s", "streams": {"streamIds": ["s"], "metadata": {"car": "7"}, "search": "x"}}',
  '{"expression": "a", "webhook": {"url": "https://hooks.example.com/a?b=c", "headers": {"Authorization": "Bearer x"}}}',
  '{"expression": "a", "webhook": {"url": "http://[::1]:8080/", "headers": {"X-A": "1", "__proto__": "2", "x": "\\t"}}}',
].map((text) => Buffer.from(text));
const words = [
  '"webhook"',
  '"url"',
  '"headers"',
  'http://',
  '@',
  '#',
  '%0d%0a',
  '\\r\\n',
  '\\u0000',
  'ß',
  '127.1',
  '[',
  ':99999',
  'Host',
  'Content-Length',
  '"for": "0.5h"',
  'null',
  '{}',
].map((word) => Buffer.from(word));

/**
 * A rule is refused with an error of ours, or it reads back as the same from what is shown of it and from what is kept. Its
 * webhook is what a request can be made of: Node takes each header, and the address stays the same when it is read again.
 */
export const alertRuleTarget: Target = {
  name: 'alert-rules',
  short: 3000,
  make: (random: Random) => mutate(random.pick(corpus), random, words, corpus),
  check(input) {
    let rule: ReturnType<typeof decodeAlertRule>;
    try {
      rule = decodeAlertRule('r', input);
    } catch (error) {
      if (error instanceof PitwallError) return;
      throw error;
    }
    const { name: _, ...shown } = alertRuleJson(rule);
    assert.deepEqual(decodeAlertRule('r', Buffer.from(JSON.stringify(shown))), rule);
    assert.deepEqual(decodeStoredRule(storedRuleBody({ rule, made: 1, revision: 2 })).rule, rule);
    if (rule.webhook !== undefined) checkWebhook(rule.webhook);
  },
};

function checkWebhook({ url, headers = {} }: Webhook): void {
  const parsed = new URL(url);
  assert.equal(parsed.href, url);
  assert.match(parsed.protocol, /^https?:$/);
  assert.deepEqual([parsed.username, parsed.password, parsed.hash], ['', '', '']);
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    assert.ok(!/^(host|content-length|transfer-encoding|connection)$/i.test(name), name);
  }
}
