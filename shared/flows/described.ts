import { type Attachment, isUntold, type Thread } from '../conversation/index.ts';
import type { Platform } from '../platforms/platform.ts';

/** The files of a message, with what the platform says of those of which the message tells nothing. Never rejects. */
export function described(
  place: Omit<Thread, 'root'>,
  attachments: readonly Attachment[],
  platform: Pick<Platform, 'described'>,
): Promise<Attachment[]> {
  return Promise.all(
    attachments.map(async (one) => {
      const told = isUntold(one) ? await platform.described?.(place, one) : undefined;
      return told ?? one;
    }),
  );
}
