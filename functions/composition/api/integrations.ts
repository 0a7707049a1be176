import { randomBytes } from 'node:crypto';
import { createChannelWebhookList, type IntegrationsContext } from '../../../shared/integrations/index.ts';
import type { Encryptor } from '../../../shared/aws/index.ts';
import {
  ApiRequests,
  Integrations,
  LiveAnswers,
  type TurnsConfig,
  Webhooks,
} from '../../../shared/storage/index.ts';

/** The integrations of workspaces, for workers. */
export function createIntegrations(
  { apiUrl }: { readonly apiUrl?: string | undefined },
  store: TurnsConfig,
  encryptor: Encryptor,
): IntegrationsContext['integrations'] {
  const parts = {
    store: new Integrations(store),
    webhooks: new Webhooks({ ...store, encryptor }),
    url: apiUrl?.replace(/\/$/u, ''),
  };
  return {
    ...parts,
    listChannelWebhooks: createChannelWebhookList(parts, store.now),
    requests: new ApiRequests(store),
    answers: new LiveAnswers(store),
    randomBytes,
  };
}
