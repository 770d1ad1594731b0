import type { WebhookHosts } from '../alerts/webhook-hosts.ts';
import { type SilenceWatchOptions, silenceWatch } from '../ingest/alerts/silence-watch.ts';
import { createPost } from '../ingest/webhooks/post.ts';
import { createResolve } from '../ingest/webhooks/resolve.ts';
import {
  createWebhookSender,
  type WebhookSender,
  type WebhookSenderOptions,
} from '../ingest/webhooks/sender.ts';

/** What alert rules do without a write: they look whether streams are silent, and send messages. */
export interface RunningAlerts {
  readonly webhooks: WebhookSender;
  /** Resolves when nothing is written for silent streams any more. */
  endSilence(): Promise<void>;
  /** Lets messages under way end for a moment. */
  stopWebhooks(): Promise<void>;
}

export type RunningAlertsOptions = Pick<SilenceWatchOptions, 'alerts' | 'committer' | 'store'> &
  Omit<WebhookSenderOptions, 'post'> & {
    /** Where messages may go. */
    readonly hosts: WebhookHosts;
    /** Whether this node does it: of replicas one at a time. */
    readonly isOwn: () => boolean;
  };

export function runAlerts(options: RunningAlertsOptions): RunningAlerts {
  const { hosts, isOwn, ...shared } = options;
  const ifOwn = (tick: () => unknown) => () => {
    if (isOwn()) tick();
  };
  const silence = silenceWatch(shared);
  const silenceClock = setInterval(ifOwn(silence.tick), silence.tickMs);
  const post = createPost({ hosts, resolve: createResolve(hosts) });
  const webhooks = createWebhookSender({ ...shared, post });
  const webhookClock = setInterval(ifOwn(webhooks.tick), webhooks.tickMs);
  return {
    webhooks,
    async endSilence() {
      clearInterval(silenceClock);
      await silence.end();
    },
    async stopWebhooks() {
      clearInterval(webhookClock);
      await webhooks.stop();
    },
  };
}
