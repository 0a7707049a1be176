import * as v from 'valibot';
import type { Attachment } from '../../../domain/index.ts';
import { id } from '../oauth/installation.ts';

const words = v.nullish(v.string());
const file = v.object({
  id,
  mode: words,
  name: words,
  title: words,
  mimetype: words,
  duration_ms: v.nullish(v.pipe(v.number(), v.finite(), v.minValue(0))),
  size: v.nullish(v.pipe(v.number(), v.finite(), v.minValue(0))),
});

/** Slack takes ten with one message; a task with more, and longer names, would be a burden to the queue. */
const MAX = 20;
const MAX_NAME_LENGTH = 200;
const CONTROL = /\p{Cc}+/gu;

/**
 * The files of a message. A file of another company (`check_file_info`) comes as its id and nothing else; what it is has
 * to be asked when it is wanted. Left out are files that were deleted, and entries that are no files.
 */
export function attachmentsOf(files: readonly unknown[] | null | undefined): Attachment[] {
  return (files ?? []).flatMap(attachmentOf).slice(0, MAX);
}

function attachmentOf(entry: unknown): Attachment[] {
  const { success, output: data } = v.safeParse(file, entry);
  if (!success || data.mode === 'tombstone') return [];
  return [
    {
      id: data.id,
      name: short(data.name || data.title),
      mimetype: short(data.mimetype),
      bytes: Math.floor(data.size ?? 0),
      ...(data.duration_ms && { ms: Math.ceil(data.duration_ms) }),
    },
  ];
}

const short = (text: string | null | undefined): string =>
  (text ?? '').replace(CONTROL, ' ').trim().slice(0, MAX_NAME_LENGTH);
