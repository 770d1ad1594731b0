import { BadRule, compileRule } from '../../alerts/compiled-rule.ts';
import { madeOfBody, namedByStateId } from '../../alerts/stored-state.ts';
import type { WebhookHosts } from '../../alerts/webhook-hosts.ts';
import type { AlertRule, StoredRule } from '../../domain/alert.ts';
import type { Document } from '../../domain/document.ts';
import { PitwallError } from '../../errors.ts';
import { requireWorkspace } from '../../store/require-workspace.ts';
import type { CatalogWriter } from '../../store/store.ts';
import { nextTurn } from '../../turns/rest.ts';
import { fault } from '../../wire/base/fault.ts';
import { checkName, maxNameBytes } from '../../wire/base/name.ts';
import type { MemoryShare } from '../../wire/json/json-memory.ts';
import {
  decodeAlertRule,
  decodeStoredRule,
  isSameRule,
  storedRuleBody,
} from '../../wire/requests/alert-rule.ts';
import { createTurns } from './in-turn.ts';

/** Makes, shows and removes alert rules on behalf of an admin. */
export interface AlertAdmin {
  /**
   * Makes a rule, or replaces it. What fires goes on firing, until it is over by the new wording. Rejects with 400 for a
   * rule that cannot be, and where a workspace has as many as it may have; with `forbidden` (403) where the workspace is gone.
   */
  put(
    workspace: string,
    topic: string,
    name: string,
    body: Uint8Array,
    share?: MemoryShare,
  ): Promise<AlertRule>;
  /** Returns a rule; rejects with `alert_not_found` (404). */
  get(workspace: string, topic: string, name: string): Promise<AlertRule>;
  /** Returns the rules of a topic, in order of name. */
  list(workspace: string, topic: string): Promise<AlertRule[]>;
  /** Removes a rule with its states, and says nothing of what fires; `alert_not_found` (404). */
  remove(workspace: string, topic: string, name: string): Promise<void>;
}

/** The most rules of a workspace. */
export const maxRules = 10_000;

/** States that are looked at between two turns of the event loop. */
const statesAtOnce = 1000;

/** States that are forgotten in one record. */
const forgottenAtOnce = 500;

export function createAlertAdmin(store: CatalogWriter, now: () => number, hosts: WebhookHosts): AlertAdmin {
  return new RuleAdmin(store, now, hosts);
}

class RuleAdmin implements AlertAdmin {
  readonly #store: CatalogWriter;
  readonly #now: () => number;
  readonly #hosts: WebhookHosts;
  /** What makes and removes rules of a workspace takes turns: what one has looked at is still so when it writes. */
  readonly #turns = createTurns();
  /** Of the last change that was made here (ms): no two have the same. */
  #lastMoment = 0;

  constructor(store: CatalogWriter, now: () => number, hosts: WebhookHosts) {
    this.#store = store;
    this.#now = now;
    this.#hosts = hosts;
  }

  async put(
    workspace: string,
    topic: string,
    name: string,
    body: Uint8Array,
    share?: MemoryShare,
  ): Promise<AlertRule> {
    checkName(topic, 'topic', maxNameBytes);
    checkName(name, 'name', maxRuleNameBytes);
    const rule = decodeAlertRule(name, body, share);
    return this.#inTurn(workspace, () => this.#keep(workspace, topic, rule));
  }

  async get(workspace: string, topic: string, name: string): Promise<AlertRule> {
    const item = await this.#kept(workspace, topic, name);
    const found = item && understood(item);
    if (found === undefined) throw this.#notThere(topic, name);
    return found.rule;
  }

  async list(workspace: string, topic: string): Promise<AlertRule[]> {
    await this.#store.catalog.refresh();
    return this.#store.catalog
      .documents(workspace, 'alert', topic)
      .flatMap((item) => understood(item)?.rule ?? []);
  }

  async remove(workspace: string, topic: string, name: string): Promise<void> {
    const item = await this.#inTurn(workspace, async () => {
      const found = await this.#kept(workspace, topic, name);
      if (found === undefined) throw this.#notThere(topic, name);
      await this.#store.append({ workspace, changes: [{ type: 'forget', kind: 'alert', topic, id: name }] });
      return found;
    });
    const made = understood(item)?.made;
    if (made === undefined) return;
    // From here on they mean nothing, and what its webhook has not been told is not told: a rule that is made again under this name has states of its own. What is left of
    // them, where the disk refuses, takes memory.
    await this.#forgetStates(workspace, topic, name, made).catch(() => undefined);
  }

  /** Milliseconds since the Unix epoch, or a little later: never the same twice, however fast rules change. */
  #uniqueMoment(after: number): number {
    this.#lastMoment = Math.max(this.#now(), this.#lastMoment + 1, after + 1);
    return this.#lastMoment;
  }

  async #inTurn<Result>(workspace: string, work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turns.enter([workspace]);
    await turn.ready;
    try {
      return await work();
    } finally {
      turn.leave();
    }
  }

  async #kept(workspace: string, topic: string, name: string): Promise<Document | undefined> {
    await this.#store.catalog.refresh();
    return this.#store.catalog.document(workspace, 'alert', topic, name);
  }

  #notThere(topic: string, name: string): PitwallError {
    const detail = `there is no alert rule '${name}' in the topic '${topic}'`;
    return new PitwallError('alert_not_found', { detail });
  }

  /** The calculated parameters that a rule names have to be of rows too. */
  #checkNames(workspace: string, topic: string, rule: AlertRule): void {
    const calculated = this.#store.catalog.documents(workspace, 'calculated', topic);
    try {
      compileRule({ rule, made: 0, revision: 0 }, undefined, calculated);
    } catch (error) {
      if (error instanceof BadRule) throw fault('bad_expression', error.field, error.message);
      throw error;
    }
  }

  #checkWebhook({ webhook }: AlertRule): void {
    if (webhook === undefined) return;
    const url = new URL(webhook.url);
    if (this.#hosts.allows(url)) return;
    const detail = this.#hosts.isNone
      ? 'needs the setting --webhook-allow, with which the operator names the hosts that webhooks may call'
      : `is at ${url.host}, which the operator has not named with --webhook-allow`;
    throw fault('invalid_value', 'webhook.url', detail);
  }

  /** @param made of the rule: one that is made again under its name meanwhile has states of the same names */
  async #forgetStates(workspace: string, topic: string, name: string, made: number): Promise<void> {
    const own: string[] = [];
    let seen = 0;
    for (const { id } of this.#store.catalog.eachDocument(workspace, 'alertState', topic)) {
      if (++seen % statesAtOnce === 0) await nextTurn();
      if (namedByStateId(id).rule === name) own.push(id);
    }
    const isOld = (id: string): boolean => {
      const item = this.#store.catalog.document(workspace, 'alertState', topic, id);
      return item !== undefined && madeOfBody(item.body) === made;
    };
    for (let from = 0; from < own.length; from += forgottenAtOnce) {
      const some = own.slice(from, from + forgottenAtOnce).filter(isOld);
      if (some.length === 0) continue;
      const changes = some.map((id) => ({ type: 'forget', kind: 'alertState', topic, id }) as const);
      await this.#store.append({ workspace, changes });
    }
  }

  async #keep(workspace: string, topic: string, rule: AlertRule): Promise<AlertRule> {
    const { name } = rule;
    const item = await this.#kept(workspace, topic, name);
    const before = item && understood(item);
    if (before !== undefined && isSameRule(before.rule, rule)) return rule;
    this.#checkWebhook(rule);
    this.#checkNames(workspace, topic, rule);
    if (item === undefined && this.#store.catalog.documents(workspace, 'alert').length >= maxRules) {
      throw fault('invalid_value', 'name', `is one too many: a workspace may have ${maxRules} rules`);
    }
    const isOldWording =
      before !== undefined && isSameRule(withoutWebhook(before.rule), withoutWebhook(rule));
    const revision = isOldWording ? before.revision : this.#uniqueMoment(before?.revision ?? 0);
    const made = { rule, made: before?.made ?? revision, revision };
    requireWorkspace(this.#store.catalog, workspace);
    const change = { type: 'keep', kind: 'alert', topic, id: name, body: storedRuleBody(made) } as const;
    await this.#store.append({ workspace, changes: [change] });
    return rule;
  }
}

/** Undefined for a rule of a version to come, which this one does not understand: `/alerts` lists it among what fails. */
function understood({ body }: Document): StoredRule | undefined {
  try {
    return decodeStoredRule(body);
  } catch {
    return undefined;
  }
}

function withoutWebhook({ webhook: _, ...rule }: AlertRule): AlertRule {
  return rule;
}

/** The id of its events has six more. */
const maxRuleNameBytes = maxNameBytes - 'alert:'.length;
