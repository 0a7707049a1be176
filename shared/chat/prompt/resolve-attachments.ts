import { type Attachment, lacksMetadata, type Thread } from '../../domain/index.ts';
import type { Platform } from '../../platforms/ports/index.ts';

/** Completes the attachments of a message that lack metadata with the platform's file info. Never rejects. */
export function resolveAttachments(
  place: Omit<Thread, 'root'>,
  attachments: readonly Attachment[],
  platform: Pick<Platform, 'resolveFile'>,
): Promise<Attachment[]> {
  return Promise.all(
    attachments.map(async (one) => (lacksMetadata(one) ? platform.resolveFile(place, one) : one)),
  );
}
