import { BadRule, compileRule } from '../../alerts/compiled-rule.ts';
import type { WebhookHosts } from '../../alerts/webhook-hosts.ts';
import type { AlertRule, StoredRule } from '../../domain/alert.ts';
import type { Document } from '../../domain/document.ts';
import { PitwallError } from '../../errors.ts';
import { requireWorkspace } from '../../store/require-workspace.ts';
import type { CatalogWriter } from '../../store/store.ts';
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
import { forgetOrphans, type OrphansOptions } from './orphans.ts';

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

export interface AlertAdminOptions extends OrphansOptions {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Where webhooks may go. */
  readonly hosts: WebhookHosts;
}

export function createAlertAdmin(options: AlertAdminOptions): AlertAdmin {
  return new RuleAdmin(options);
}

class RuleAdmin implements AlertAdmin {
  readonly #options: OrphansOptions;
  readonly #store: CatalogWriter;
  readonly #now: () => number;
  readonly #hosts: WebhookHosts;
  /** What makes and removes rules of a workspace takes turns: what one has looked at is still so when it writes. */
  readonly #turns = createTurns();
  /** Of the last change that was made here (ms): no two have the same. */
  #lastMoment = 0;

  constructor(options: AlertAdminOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#now = options.now;
    this.#hosts = options.hosts;
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
    await this.#inTurn(workspace, async () => {
      if ((await this.#kept(workspace, topic, name)) === undefined) throw this.#notThere(topic, name);
      await this.#store.append({ workspace, changes: [{ type: 'forget', kind: 'alert', topic, id: name }] });
    });
    // What its webhook has not been told is not told. States that are left, where the disk refuses, are forgotten later.
    await forgetOrphans(this.#options, workspace, topic).catch(() => undefined);
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

  async #keep(workspace: string, topic: string, rule: AlertRule): Promise<AlertRule> {
    const { name } = rule;
    const item = await this.#kept(workspace, topic, name);
    const before = item && understood(item);
    // Of a rule that does not change, too: a 200 means that its webhook is called.
    this.#checkWebhook(rule);
    if (before !== undefined && isSameRule(before.rule, rule)) return rule;
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
