import { createChannelWebhookList, type IntegrationsContext } from '../../shared/integrations/index.ts';
import {
  ApiRequests,
  Integrations,
  LiveAnswers,
  type TurnsConfig,
  Webhooks,
} from '../../shared/storage/index.ts';

import { plainEncryptor } from './plain-encryptor.ts';

/** Integrations in a table. Ids and secrets are constant bytes, a different one for each call. */
export function integrationsIn(
  store: Pick<TurnsConfig, 'dynamo' | 'table' | 'now'>,
  url?: string,
): IntegrationsContext['integrations'] {
  let calls = 0;
  const parts = {
    store: new Integrations(store),
    webhooks: new Webhooks({ ...store, encryptor: plainEncryptor }),
    url,
  };
  return {
    ...parts,
    listChannelWebhooks: createChannelWebhookList(parts, store.now),
    answers: new LiveAnswers({ ...store, days: 30 }),
    requests: new ApiRequests(store),
    randomBytes: (count) => Buffer.alloc(count, (calls += 1)),
  };
}

/** None, and nothing can be added. */
export const NO_INTEGRATIONS: IntegrationsContext['integrations'] = {
  store: {
    list: () => Promise.resolve([]),
    find: () => Promise.resolve(undefined),
    add: () => Promise.resolve(),
    rotate: () => Promise.resolve(false),
    setChannels: () => Promise.resolve(false),
    remove: () => Promise.resolve(),
  },
  webhooks: {
    find: () => Promise.resolve(undefined),
    decrypt: () => Promise.reject(new Error('no webhook')),
    save: () => Promise.resolve(),
    remove: () => Promise.resolve(),
    resetFailures: () => Promise.resolve(),
    countFailure: () => Promise.resolve(undefined),
    turnOff: () => Promise.resolve(false),
  },
  answers: { read: () => Promise.resolve({ kind: 'gone' }) },
  requests: {
    link: () => Promise.resolve(true),
    findByTurn: () => Promise.resolve(undefined),
    find: () => Promise.resolve(undefined),
    attach: () => Promise.resolve(false),
    fail: () => Promise.resolve(false),
  },
  listChannelWebhooks: () => Promise.resolve([]),
  url: undefined,
  randomBytes: (count) => new Uint8Array(count),
};
