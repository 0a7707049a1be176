import type { Attachment, TurnRef } from '../../domain/index.ts';
import type { ThreadPicture } from '../../ports/index.ts';
import type { ThreadHistory } from '../../storage/index.ts';

/** The history of a question, and its pictures: see `QuestionInput`. */
type QuestionPictures = {
  readonly past: Pick<ThreadHistory, 'turns'>;
  readonly attachments: readonly Attachment[];
  readonly pictures: readonly Attachment[];
};

/** Returns the pictures in the prompt, the newest last. */
export function imagesIn(
  { message, asker }: TurnRef,
  { past, attachments, pictures }: QuestionPictures,
): ThreadPicture[] {
  const before = past.turns.flatMap((turn) =>
    (turn.pictures ?? []).map((picture) => {
      const origin = turn.asker === asker ? undefined : { author: turn.asker, message: turn.message };
      return { picture: { origin, ...picture }, message: turn.message };
    }),
  );
  return [...before, ...[...pictures, ...attachments].map((picture) => ({ picture, message }))];
}
