import {
  type ErasedUntil,
  createPlatformRouter,
  createMessengerRouter,
  dropErasedMessages,
  toErasedUntil,
} from '../../shared/platforms/index.ts';
import { isIntegration } from '../../shared/domain/index.ts';
import { withIntegrations } from '../../shared/platforms/api/index.ts';
import { type PlatformsConfig, systemTime } from '../../shared/runtime/index.ts';
import { ErasureMoments, LiveAnswers } from '../../shared/storage/index.ts';
import { createDiscordAdapter } from './discord/adapter.ts';
import { EXTENSIONS, type Extensions } from './extensions/extensions.ts';
import type { PlatformAdapter } from './platform-adapter.ts';
import { createSlackAdapter } from './slack/adapter.ts';

/** An integration has no user on a platform. */
const NOBODY = { profile: {}, roles: { admin: false, roles: [] } } as const;

/** Combines Slack and Discord, or the deployment's own adapters: each thread uses its own platform. One of them may be absent. */
export function createPlatformAdapters(
  config: PlatformsConfig,
  clients: Parameters<typeof createSlackAdapter>[1] & Parameters<typeof createDiscordAdapter>[1],
  { platforms }: Pick<Extensions, 'platforms'> = EXTENSIONS,
): PlatformAdapter {
  const adapters = {
    slack: platforms.slack?.(config) ?? createSlackAdapter(config, clients),
    discord: platforms.discord?.(config) ?? createDiscordAdapter(config, clients),
  };
  const all: PlatformAdapter = {
    platform: dropErasedMessages(
      createPlatformRouter(({ platform }) => adapters[platform].platform),
      createErasureLookup({ ...clients, table: config.conversationsTable }),
    ),
    messenger: createMessengerRouter(({ platform }) => adapters[platform].messenger),
    userProfile: async (place, user) =>
      isIntegration(user) ? NOBODY.profile : adapters[place.platform].userProfile(place, user),
    directory: { find: (place, reference) => adapters[place.platform].directory.find(place, reference) },
    memberRoles: async (place, user) =>
      isIntegration(user) ? NOBODY.roles : adapters[place.platform].memberRoles(place, user),
    channelAccess: async (place, user) =>
      isIntegration(place.channel) || isIntegration(user)
        ? 'unknown'
        : adapters[place.platform].channelAccess(place, user),
    isPublicChannel: async (place) =>
      !isIntegration(place.channel) && adapters[place.platform].isPublicChannel(place),
  };
  const { conversationsTable: table, historyDays: days } = config;
  const { dynamo, time = systemTime } = clients;
  const live = new LiveAnswers({ dynamo, table, days, now: time.now });
  return withIntegrations(all, live, time);
}

/** The stored times up to which people and threads are erased. */
export const createErasureLookup = (store: ConstructorParameters<typeof ErasureMoments>[0]): ErasedUntil =>
  toErasedUntil(new ErasureMoments(store));
