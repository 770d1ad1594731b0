import { alertRuleTarget } from './alert-rule-target.ts';
import { base64Target } from './base64-target.ts';
import { canTarget } from './can-target.ts';
import { csvTarget } from './csv-target.ts';
import { cursorTarget } from './cursor-target.ts';
import { expressionTarget } from './expression-target.ts';
import { binaryFramingTarget, textFramingTarget } from './framing-target.ts';
import { growthTarget } from './growth-target.ts';
import { hubJsonTarget, skipTarget } from './hub-json-target.ts';
import { importJsonTarget } from './import-json-target.ts';
import { jsonListTarget, jsonStepsTarget, jsonTarget } from './json-target.ts';
import { laneTarget } from './lane-target.ts';
import { lineTarget } from './line-target.ts';
import { mcapTarget } from './mcap-target.ts';
import { mdf4Target } from './mdf4-target.ts';
import { messagePackHubTarget, messagePackTarget } from './messagepack-target.ts';
import { motecTarget } from './motec-target.ts';
import { mqttTargets } from './mqtt-target.ts';
import { otlpTargets } from './otlp-target.ts';
import { parquetTarget } from './parquet-target.ts';
import { payloadTarget } from './payload-target.ts';
import { positionTarget } from './position-target.ts';
import { promqlTarget } from './promql-target.ts';
import { remoteWriteTarget, snappyTarget } from './remote-write-target.ts';
import type { Target } from './target.ts';
import { textDoorTargets } from './text-doors-target.ts';
import { textTarget } from './text-target.ts';
import { webhookHostsTarget } from './webhook-hosts-target.ts';

/** All that is fuzzed. */
export const targets: readonly Target[] = [
  jsonTarget,
  jsonListTarget,
  jsonStepsTarget,
  skipTarget,
  hubJsonTarget,
  messagePackTarget,
  messagePackHubTarget,
  textFramingTarget,
  binaryFramingTarget,
  base64Target,
  lineTarget,
  csvTarget,
  importJsonTarget,
  parquetTarget,
  motecTarget,
  mdf4Target,
  canTarget,
  positionTarget,
  mcapTarget,
  textTarget,
  payloadTarget,
  remoteWriteTarget,
  snappyTarget,
  ...otlpTargets,
  ...textDoorTargets,
  ...mqttTargets,
  expressionTarget,
  promqlTarget,
  cursorTarget,
  alertRuleTarget,
  webhookHostsTarget,
  laneTarget,
  growthTarget,
];
