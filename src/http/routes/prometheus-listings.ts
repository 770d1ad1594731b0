import { cut } from '../../promql/answer-json.ts';
import type { QueryTerms } from '../../promql/query.ts';
import { badData } from '../../promql/query-error.ts';
import type { Answer, Route } from '../route.ts';
import type { QueryCall } from '../watch-queries.ts';
import { success } from './prometheus-dialect.ts';
import { limitOf, one, type Parameters, timeOf } from './prometheus-parameters.ts';
import { engine, type PrometheusReads, prometheusRoutes, withTerms } from './prometheus-query.ts';

/**
 * Makes the routes that tools ask before they query: series, labels and their values, what is said of metrics, the
 * version, queries in one form.
 */
export function prometheusListings(reads: PrometheusReads): Route[] {
  const listed = (
    path: string,
    summary: string,
    list: (request: Request, terms: QueryTerms, call: QueryCall) => Promise<unknown[]>,
  ): Route[] =>
    prometheusRoutes(reads, path, summary, (call, parameters) =>
      withTerms(call, parameters, reads, async (terms) => {
        const all = await list(requestOf(parameters), terms, call);
        return limited(all, limitOf(parameters));
      }),
    );

  return [
    ...listed('/api/v1/series', 'List series as Prometheus', async (request, terms) => {
      const { seriesThere } = await engine();
      return (await seriesThere(request, terms)).map(({ pairs }) => Object.fromEntries(pairs));
    }),
    ...listed('/api/v1/labels', 'List names of labels as Prometheus', async (request, terms) => {
      const { labelsThere } = await engine();
      return labelsThere(request, terms);
    }),
    ...listed(
      '/api/v1/label/:name/values',
      'List values of a label as Prometheus',
      async (request, terms, { params }) => {
        const { valuesThere } = await engine();
        return valuesThere(nameOf(params['name'] ?? ''), request, terms);
      },
    ),
    ...prometheusRoutes(
      reads,
      '/api/v1/metadata',
      'List what is said of metrics as Prometheus',
      (call, parameters) => metadata(call, parameters, reads),
    ),
    ...prometheusRoutes(
      reads,
      '/api/v1/format_query',
      'Write a query in one form',
      async (_call, parameters) => {
        const { formatted } = await engine();
        return success(formatted(one(parameters, 'query')));
      },
    ),
    ...prometheusRoutes(reads, '/api/v1/status/buildinfo', 'Tell the version as Prometheus', () =>
      success(buildInfo),
    ),
  ];
}

/** The version whose language this is: tools look what it can do. */
const buildInfo = {
  version: '2.42.0',
  revision: 'pitwall',
  branch: '',
  buildUser: '',
  buildDate: '',
  goVersion: '',
};

interface Request {
  readonly match: readonly string[];
  readonly from: number;
  readonly to: number;
}

function requestOf(parameters: Parameters): Request {
  return {
    match: parameters['match[]'] ?? [],
    from: timeOf(parameters, 'start', Number.MIN_SAFE_INTEGER),
    to: timeOf(parameters, 'end', Number.MAX_SAFE_INTEGER),
  };
}

function limited(all: readonly unknown[], limit = Number.POSITIVE_INFINITY): Answer {
  return all.length > limit ? success(all.slice(0, limit), [cut]) : success(all);
}

/** Prometheus 3 writes names that are no words as `U__`, with `_` twice and other characters as their hex digits in `_`. */
function nameOf(given: string): string {
  if (!given.startsWith('U__')) return given;
  return given.slice(3).replace(/__|_([0-9a-fA-F]{1,6})_/g, (all, hex?: string) => {
    const point = Number.parseInt(hex ?? '', 16);
    if (hex === undefined) return '_';
    return point > 0x10ffff ? all : String.fromCodePoint(point);
  });
}

async function metadata(
  call: QueryCall,
  parameters: Parameters,
  { store }: PrometheusReads,
): Promise<Answer> {
  const { metricMetadata } = await engine();
  const metric = one(parameters, 'metric');
  const limit = limitOf(parameters);
  const parametersThere = await store.catalog.parameters(
    call.principal.workspace,
    { includeTypes: ['Numeric'] },
    call.signal(),
  );
  call.countRows(parametersThere.length);
  const perMetric = one(parameters, 'limit_per_metric');
  if (!/^\d{0,9}$/.test(perMetric)) throw badData('limit_per_metric must be a number');
  const most = Number(perMetric) || undefined;
  const found = [...metricMetadata(parametersThere)]
    .filter(([name]) => metric === '' || name === metric)
    .map(([name, said]) => [name, said.slice(0, most)]);
  return success(Object.fromEntries(found.slice(0, limit)));
}
