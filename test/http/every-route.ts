import { join } from 'node:path';
import { docsPage } from '../../src/http/docs-page.ts';
import { openApiRoute } from '../../src/http/openapi.ts';
import type { Route } from '../../src/http/route.ts';
import { type RouteParts, routeTable } from '../../src/http/route-table.ts';
import { createDoors } from '../../src/ingest/doors.ts';
import { createMetrics } from '../../src/metrics.ts';
import { root } from '../root.ts';

/** The routes as data, as the service has them; none of them can be run, for what they would call is not there. */
export function everyRoute(): Route[] {
  const metrics = createMetrics();
  const parts = {
    store: { catalog: {} },
    metrics,
    doors: createDoors(metrics, () => undefined),
    explorerFolder: join(root, 'dist/web'),
    prometheus: { streamLabels: [] },
  } as unknown as RouteParts;
  const routes = routeTable(parts);
  return [...routes, openApiRoute(routes), ...docsPage()];
}
