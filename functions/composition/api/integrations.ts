import { randomBytes } from 'node:crypto';
import type { IntegrationsContext } from '../../../shared/integrations/index.ts';
import type { Encryptor } from '../../../shared/aws/index.ts';
import {
  ApiRequests,
  Integrations,
  LiveAnswers,
  type TurnsConfig,
  Webhooks,
} from '../../../shared/storage/index.ts';

/** The integrations of workspaces, for workers. */
export const integrationsOf = (
  { apiUrl }: { readonly apiUrl?: string | undefined },
  store: TurnsConfig,
  encryptor: Encryptor,
): IntegrationsContext['integrations'] => ({
  store: new Integrations(store),
  webhooks: new Webhooks({ ...store, encryptor }),
  requests: new ApiRequests(store),
  answers: new LiveAnswers(store),
  url: apiUrl?.replace(/\/$/u, ''),
  randomBytes,
});
