import * as v from 'valibot';
import type { Attachment } from '../../../domain/index.ts';
import { id } from '../api/payload-fields.ts';

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

/** Slack allows ten files per message. The limits keep a task within the size of a queue message. */
export const MAX_FILES = 20;
const MAX_NAME_LENGTH = 200;
const CONTROL = /\p{Cc}+/gu;

/**
 * The files of a message, without deleted ones. Of a file of another company (`check_file_info`) Slack sends only the id;
 * the worker requests the rest when it needs it.
 */
export function parseAttachments(files: readonly unknown[] | null | undefined): Attachment[] {
  return (files ?? []).flatMap(parseAttachment).slice(0, MAX_FILES);
}

function parseAttachment(entry: unknown): Attachment[] {
  const { success, output: data } = v.safeParse(file, entry);
  if (!success || data.mode === 'tombstone') return [];
  return [
    {
      id: data.id,
      name: cleanName(data.name || data.title),
      mimetype: cleanName(data.mimetype),
      bytes: Math.floor(data.size ?? 0),
      ...(data.duration_ms && { ms: Math.ceil(data.duration_ms) }),
    },
  ];
}

const cleanName = (text: string | null | undefined): string =>
  (text ?? '').replace(CONTROL, ' ').trim().slice(0, MAX_NAME_LENGTH);
