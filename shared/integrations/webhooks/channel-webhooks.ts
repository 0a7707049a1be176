import type { Clock } from '../../runtime/index.ts';
import { TtlCache } from '../../utils/index.ts';
import type { IntegrationsContext, ListChannelWebhooks } from '../context.ts';

/** Each answer asks for them. An administrator sees within a minute what they changed. */
const CACHE_TTL_MS = 60_000;

/** Lists the webhooks for all answers in channels, cached for a minute. Without an API in this deployment there are none, and nothing is read. */
export function createChannelWebhookList(
  { store, webhooks, url }: Pick<IntegrationsContext['integrations'], 'store' | 'webhooks' | 'url'>,
  now: Clock,
): ListChannelWebhooks {
  if (url === undefined) return () => Promise.resolve([]);
  const cache = new TtlCache<Awaited<ReturnType<ListChannelWebhooks>>>({ now, ttlMs: CACHE_TTL_MS });
  return (place) =>
    cache.get(`${place.platform}#${place.workspace}`, async () => {
      const integrations = (await store.list(place)).filter(({ channels }) => channels.length > 0);
      const rows = integrations.map(async ({ id, name, channels }) => {
        const webhook = await webhooks.find(place, id);
        if (!webhook?.isForChannels || webhook.isOff) return [];
        return [{ integration: { id, name, channels }, events: webhook.events }];
      });
      return (await Promise.all(rows)).flat();
    });
}
