import { BadRule, type CompiledRule, compileRule, ruleEvaluators } from '../../alerts/compiled-rule.ts';
import { asksForProperties, type ChosenBy, matches } from '../../alerts/matching-stream.ts';
import type { StoredRule } from '../../domain/alert.ts';
import type { Document } from '../../domain/document.ts';
import { foldTopic } from '../../domain/topic.ts';
import type { Documents } from '../../store/store.ts';
import { decodeStoredRule } from '../../wire/requests/alert-rule.ts';

/** The rules of a topic, ready to be asked which of them watch a stream. */
export interface TopicRules {
  readonly all: readonly StoredRule[];
  /** Why it cannot be used, where it cannot. */
  compiled(rule: StoredRule): CompiledRule | string;
  /** Whether there is a rule that names the stream, or one that names none. */
  mayWatch(streamId: string): boolean;
  /** Whether a stream has to be described before it is known which rules watch it. */
  asksFor(streamId: string): boolean;
  /** @param describe called where a rule chooses by more than ids */
  of(streamId: string, describe: () => ChosenBy): WatchingRules;
}

/** The rules that watch a stream. */
export interface WatchingRules {
  readonly rules: readonly CompiledRule[];
  /** The parameters that they name. */
  readonly operands: ReadonlySet<string>;
}

/** A rule that is kept and cannot be used here. */
export interface UnusableRule {
  readonly topic: string;
  readonly name: string;
  readonly problem: string;
}

export interface AlertRules {
  /** Undefined where a topic has no rules. */
  ofTopic(workspace: string, topic: string): TopicRules | undefined;
  /** With the topics as they were spelt. */
  ofWorkspace(workspace: string): WorkspaceRules;
}

export interface WorkspaceRules {
  /** By folded topic. */
  readonly topics: ReadonlyMap<string, TopicRules & { readonly topic: string }>;
  readonly unusable: readonly UnusableRule[];
}

/** Rules as they are kept, read once: what a catalogue gives is the same array until a rule changes. */
export function alertRules(catalog: Pick<Documents, 'documents'>): AlertRules {
  const known = new WeakMap<readonly Document[], Known>();
  const read = new WeakMap<Document, StoredRule | string>();
  const compiled = new WeakMap<StoredRule, Compiled>();
  const evaluators = ruleEvaluators();

  const ruleOf = (item: Document): StoredRule | string => {
    const rule = read.get(item) ?? orProblem(() => decodeStoredRule(item.body));
    read.set(item, rule);
    return rule;
  };

  /** With the first row that a rule watches: a thousand at once would take their time. */
  const compile = (rule: StoredRule, calculated: readonly Document[]): CompiledRule | string => {
    const before = compiled.get(rule);
    if (before?.calculated === calculated) return before.made;
    const made = orProblem(() => compileRule(rule, evaluators, calculated));
    compiled.set(rule, { calculated, made });
    return made;
  };

  const readAll = (workspace: string, items: readonly Document[]): WorkspaceRules => {
    const byTopic = new Map<string, { readonly topic: string; readonly rules: StoredRule[] }>();
    const unusable: UnusableRule[] = [];
    for (const item of items) {
      const rule = ruleOf(item);
      const { topic = '', id } = item;
      if (typeof rule === 'string') {
        unusable.push({ topic, name: id, problem: rule });
        continue;
      }
      const folded = foldTopic(topic);
      const ofTopic = byTopic.get(folded) ?? { topic, rules: [] };
      byTopic.set(folded, ofTopic);
      ofTopic.rules.push(rule);
    }
    const rulesOf = ({ topic, rules }: { readonly topic: string; readonly rules: readonly StoredRule[] }) =>
      topicRules(topic, rules, (rule) => {
        const made = compile(rule, catalog.documents(workspace, 'calculated', topic));
        const isTold = unusable.some(({ topic: other, name }) => other === topic && name === rule.rule.name);
        if (typeof made === 'string' && !isTold)
          unusable.push({ topic, name: rule.rule.name, problem: made });
        return made;
      });
    return { topics: new Map([...byTopic].map(([folded, found]) => [folded, rulesOf(found)])), unusable };
  };

  const ofWorkspace = (workspace: string): WorkspaceRules => {
    const items = catalog.documents(workspace, 'alert');
    if (items.length === 0) return noRules;
    // Rules may name calculated parameters, which change without them.
    const calculated = catalog.documents(workspace, 'calculated');
    const before = known.get(items);
    if (before?.calculated === calculated) return before.rules;
    const rules = readAll(workspace, items);
    known.set(items, { calculated, rules });
    return rules;
  };

  return {
    ofTopic: (workspace, topic) => {
      const { topics } = ofWorkspace(workspace);
      return topics.size === 0 ? undefined : topics.get(foldTopic(topic));
    },
    ofWorkspace,
  };
}

/** What was made of rules while a workspace kept these calculated parameters. */
interface Known {
  readonly calculated: readonly Document[];
  readonly rules: WorkspaceRules;
}

/** What was made of a rule while its topic kept these. */
interface Compiled {
  readonly calculated: readonly Document[];
  readonly made: CompiledRule | string;
}

const noRules: WorkspaceRules = { topics: new Map(), unusable: [] };

/** What is made, or why it cannot be: it was kept by another version, or a calculated parameter has changed. */
function orProblem<Made>(make: () => Made): Made | string {
  try {
    return make();
  } catch (error) {
    if (error instanceof BadRule) return `its ${error.field} cannot be evaluated: ${error.message}`;
    return `this version cannot use it: ${(error as Error).message}`;
  }
}

/** A thousand rules, each for one stream, cost a stream no more than its own. */
function topicRules(
  topic: string,
  all: readonly StoredRule[],
  compiled: TopicRules['compiled'],
): TopicRules & { readonly topic: string } {
  const group = (rules: readonly StoredRule[]): RuleGroup =>
    groupOfCompiled(rules.map(compiled).filter((rule) => typeof rule !== 'string'));
  const lists = new Map<string, StoredRule[]>();
  const others: StoredRule[] = [];
  for (const rule of all) {
    const { streams } = rule.rule;
    if (streams?.streamIds === undefined) others.push(rule);
    for (const id of new Set(streams?.streamIds)) {
      const own = lists.get(id);
      if (own === undefined) lists.set(id, [rule]);
      else own.push(rule);
    }
  }
  let ofOthers: RuleGroup | undefined;
  const groups = new Map<string, RuleGroup>();
  const groupOf = (streamId: string): RuleGroup => {
    const known = groups.get(streamId);
    if (known !== undefined) return known;
    const own = lists.get(streamId);
    if (own === undefined) {
      ofOthers ??= group(others);
      return ofOthers;
    }
    const made = group([...own, ...others]);
    // Each has the rules without ids too, which may be many.
    if (groups.size >= mostGroups) groups.clear();
    groups.set(streamId, made);
    return made;
  };
  return {
    topic,
    all,
    compiled,
    mayWatch: (streamId) => others.length > 0 || lists.has(streamId),
    asksFor: (streamId) => groupOf(streamId).asks,
    of(streamId, describe) {
      const found = groupOf(streamId);
      if (!found.asks) return found;
      const stream = describe();
      return groupOfCompiled(
        found.rules.filter((rule) => !asks(rule) || matches(rule.rule.streams!, stream)),
      );
    },
  };
}

/** Streams whose rules are remembered together. */
const mostGroups = 2000;

interface RuleGroup extends WatchingRules {
  /** Whether one of them chooses by more than ids. */
  readonly asks: boolean;
}

function groupOfCompiled(rules: readonly CompiledRule[]): RuleGroup {
  return { rules, operands: new Set(rules.flatMap(({ operands }) => operands)), asks: rules.some(asks) };
}

function asks({ rule }: CompiledRule): boolean {
  return rule.streams !== undefined && asksForProperties(rule.streams);
}
