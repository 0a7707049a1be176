import type { InstallationStore } from '@slack/oauth';
import * as v from 'valibot';
import { userId, workspaceId } from '../../../shared/domain/index.ts';
import type { Clock } from '../../../shared/runtime/index.ts';
import type { Install, Installs } from '../../../shared/storage/index.ts';

const text = v.pipe(v.string(), v.minLength(1));
const organization = v.nullish(v.object({ id: text, name: v.nullish(v.string()) }));

/** The fields of an installation that are stored. */
const installed = v.object({
  tokenType: v.literal('bot'),
  isEnterpriseInstall: v.nullish(v.boolean()),
  team: organization,
  enterprise: organization,
  user: v.object({ id: text }),
  bot: v.object({
    token: text,
    userId: text,
    scopes: v.array(v.string()),
    refreshToken: v.optional(v.string()),
    /** In seconds since 1970. */
    expiresAt: v.optional(v.number()),
  }),
});

/** Stores what Slack's OAuth package installs in the table, encrypted. */
export function createInstallationStore(installs: Pick<Installs, 'save'>, now: Clock): InstallationStore {
  return {
    storeInstallation: async (installation) => installs.save(toInstall(installation, now())),
    // Only InstallProvider's `authorize` reads, and it renews tokens without a lease. See `createBotTokenProvider`.
    fetchInstallation: async () =>
      Promise.reject(new Error('Bot tokens are read by botTokens, not by InstallProvider')),
  };
}

/** The workspace that an installation is for. An installation for a whole organization is one workspace, with its id. */
export function parseInstalledWorkspace(installation: unknown): Pick<Install, 'workspace' | 'name'> {
  const { isEnterpriseInstall, team, enterprise } = v.parse(installed, installation);
  const place = isEnterpriseInstall === true ? enterprise : team;
  if (!place) throw new Error('Slack names no workspace for the installation');
  return { workspace: workspaceId(place.id), name: place.name ?? place.id };
}

function toInstall(installation: unknown, at: number): Install {
  const { bot, user } = v.parse(installed, installation);
  const { refreshToken: token, expiresAt } = bot;
  const hasRotation = token !== undefined && expiresAt !== undefined;
  return {
    ...parseInstalledWorkspace(installation),
    botToken: bot.token,
    botUser: userId(bot.userId),
    scopes: bot.scopes.join(','),
    by: userId(user.id),
    at,
    renewal: hasRotation ? { token, until: expiresAt * 1_000 } : undefined,
  };
}
