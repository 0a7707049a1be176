import type { ChannelId, Integration } from '../domain/index.ts';

/** Whether an integration may ask in a channel while it is private: whoever allowed that was in it, or allowed it in an earlier version. */
export const mayBePrivate = (
  channel: ChannelId,
  integration: Pick<Integration, 'channels' | 'privateChannels'> | undefined,
): boolean => (integration?.privateChannels ?? integration?.channels)?.includes(channel) === true;
