import { createTextCache } from '../../src/wire/json/text-cache.ts';
import { topicRule, usualRules } from '../../src/wire/mqtt/topic-rules.ts';
import { defaultPayloadLimits as limits } from '../payload-limits.ts';

/** The rules of an intake without settings. */
export const intakeRules = () => ({
  topics: usualRules.map(topicRule),
  timeFields: ['timestamp'],
  streamTags: [],
  limits,
  names: createTextCache(),
});
