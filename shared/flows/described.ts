import type { Attachment, Thread } from '../conversation/index.ts';
import type { Platform } from '../platforms/platform.ts';

/** The files of a message, with what the platform says of those that came without a name and a type. Never rejects. */
export function described(
  place: Omit<Thread, 'root'>,
  attachments: readonly Attachment[],
  platform: Pick<Platform, 'described'>,
): Promise<Attachment[]> {
  return Promise.all(
    attachments.map(async (one) => {
      if (one.name !== '' || one.mimetype !== '') return one;
      return (await platform.described?.(place, one)) ?? one;
    }),
  );
}
