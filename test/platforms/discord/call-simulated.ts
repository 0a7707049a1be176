import { createRestCall } from '../../../shared/platforms/discord/index.ts';
import type { DiscordSimulator } from '../../simulators/discord/index.ts';
import { clock } from './clock.ts';

/** Requests to a simulated Discord as its bot. */
export const callSimulated = (
  { apiUrl, applicationId, botToken }: Pick<DiscordSimulator, 'apiUrl' | 'applicationId' | 'botToken'>,
  now = clock.now,
) => createRestCall({ apiUrl, applicationId, token: async () => botToken, now, random: () => 0.5 });
