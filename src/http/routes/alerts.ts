import type { AlertAdmin } from '../../ingest/alerts/alert-admin.ts';
import type { AlertQueries } from '../../ingest/alerts/alert-queries.ts';
import { queryLimits, settingsLimits } from '../../wire/json/json-memory.ts';
import { alertEntriesJson, decodeAlertFilter, decodeAlertTest } from '../../wire/requests/alert-requests.ts';
import { alertRuleJson } from '../../wire/requests/alert-rule.ts';
import { wantsInt64Strings } from '../int64.ts';
import { type Call, done, json, orEmptyObject, type Route } from '../route.ts';
import {
  alertFilter,
  alertList,
  alertRequest,
  alertRule,
  alertRuleList,
  alertTest,
  alertTestAnswer,
} from '../schemas/alerts.ts';
import { int64Query } from '../schemas/read-data.ts';
import type { QueryRoute } from '../watch-queries.ts';

const path = '/topics/:topic/alerts/:name';

export function putAlertRule(alerts: AlertAdmin): Route {
  return {
    method: 'PUT',
    path,
    interface: 'writer',
    scope: 'admin',
    summary: 'Make an alert rule, or replace it',
    body: { schema: alertRequest, optional: false, limits: settingsLimits },
    response: alertRule,
    async handle({ principal, params, body, reservation }) {
      const { topic, name } = namesOf(params);
      return json(alertRuleJson(await alerts.put(principal.workspace, topic, name, body, reservation)));
    },
  };
}

export function getAlertRule(alerts: AlertAdmin): Route {
  return {
    method: 'GET',
    path,
    interface: 'writer',
    scope: 'admin',
    mayBeMissing: true,
    summary: 'Show an alert rule',
    response: alertRule,
    async handle({ principal, params }) {
      const { topic, name } = namesOf(params);
      return json(alertRuleJson(await alerts.get(principal.workspace, topic, name)));
    },
  };
}

export function listAlertRules(alerts: AlertAdmin): Route {
  return {
    method: 'GET',
    path: '/topics/:topic/alerts',
    interface: 'writer',
    scope: 'admin',
    summary: 'List the alert rules of a topic',
    response: alertRuleList,
    async handle({ principal, params }) {
      const rules = await alerts.list(principal.workspace, params['topic']!);
      return json(rules.map(alertRuleJson));
    },
  };
}

export function removeAlertRule(alerts: AlertAdmin): Route {
  return {
    method: 'DELETE',
    path,
    interface: 'writer',
    scope: 'admin',
    mayBeMissing: true,
    summary: 'Remove an alert rule; what it fires is not resolved, but over',
    async handle({ principal, params }) {
      const { topic, name } = namesOf(params);
      await alerts.remove(principal.workspace, topic, name);
      return done;
    },
  };
}

export function testAlertRule(alerts: AlertQueries): QueryRoute {
  return {
    method: 'POST',
    path: `${path}/test`,
    interface: 'query',
    scope: 'admin',
    mayBeMissing: true,
    summary: 'Tell what an alert rule would have said of stored rows',
    body: { schema: alertTest, optional: false, limits: queryLimits },
    query: int64Query,
    response: alertTestAnswer,
    async handle(call) {
      const { topic, name } = namesOf(call.params);
      const asked = decodeAlertTest(call.body, call.reservation);
      const { workspace } = call.principal;
      const said = await alerts.test(workspace, topic, name, asked, call.signal(), call.countRows);
      return { ...json([]), body: alertEntriesJson(said, wantsInt64Strings(call.query)) };
    },
  };
}

export function listAlerts(alerts: AlertQueries): QueryRoute {
  return {
    method: 'POST',
    path: '/alerts',
    interface: 'query',
    scope: 'read',
    summary: 'List the alerts that fire now, and rules that could not be evaluated',
    body: { schema: alertFilter, optional: true, limits: queryLimits },
    query: int64Query,
    response: alertList,
    async handle(call) {
      const filter = decodeAlertFilter(orEmptyObject(call.body), call.reservation);
      const found = await alerts.list(call.principal.workspace, filter);
      return { ...json([]), body: alertEntriesJson(found, wantsInt64Strings(call.query)) };
    },
  };
}

function namesOf(params: Call['params']): { readonly topic: string; readonly name: string } {
  return { topic: params['topic']!, name: params['name']! };
}
