import { FLAG } from '../flags.ts';
import { isJson, type Json, listOf, numberOf, stringOf } from '../json.ts';
import type { Fault } from '../refusal.ts';
import { componentFaults } from './components.ts';
import { fault, lengthFaults, missing, type Path, unknownFields } from './faults.ts';

export const MAX_CONTENT_LENGTH = 2_000;
const EMBED_TEXT_MOST = 6_000;
const ATTACHMENTS_MOST = 10;

const SHARED = ['content', 'embeds', 'allowed_mentions', 'components', 'attachments', 'flags', 'poll'];
/** The fields of each body that creates or edits a message. */
export const FIELDS = {
  create: [...SHARED, 'tts', 'nonce', 'enforce_nonce', 'message_reference', 'sticker_ids'],
  edit: [...SHARED, 'sticker_ids'],
  webhook: [...SHARED, 'tts', 'username', 'avatar_url', 'thread_name', 'applied_tags'],
  answer: [...SHARED, 'tts'],
} as const;

/** The flags that an app may set, by body. */
const MAY_SET: Readonly<Record<keyof typeof FIELDS, number>> = {
  create: FLAG.suppressEmbeds | FLAG.silent | FLAG.voice | FLAG.componentsV2,
  edit: FLAG.suppressEmbeds | FLAG.componentsV2,
  webhook: FLAG.suppressEmbeds | FLAG.silent | FLAG.ephemeral | FLAG.componentsV2,
  answer: FLAG.suppressEmbeds | FLAG.silent | FLAG.ephemeral | FLAG.voice | FLAG.componentsV2,
};

/** The violations of a message body. `was` are the flags of an edited message. */
export function messageFaults(body: Json, kind: keyof typeof FIELDS, was = 0, at: Path = []): Fault[] {
  const flags = numberOf(body['flags']) | (was & FLAG.componentsV2);
  const v2 = (flags & FLAG.componentsV2) !== 0;
  const faults = [
    ...unknownFields(at, body, FIELDS[kind]),
    ...lengthFaults([...at, 'content'], body['content'], 0, MAX_CONTENT_LENGTH),
    ...embedFaults(listOf(body['embeds']), [...at, 'embeds']),
    ...mentionFaults(body['allowed_mentions'], [...at, 'allowed_mentions']),
    ...attachmentFaults(body['attachments'], [...at, 'attachments']),
    ...componentFaults(listOf(body['components']), v2, [...at, 'components']),
  ];
  if ((numberOf(body['flags']) & ~MAY_SET[kind] & ~was) !== 0)
    faults.push(fault([...at, 'flags'], 'BASE_TYPE_CHOICES', 'These flags cannot be set here'));
  if (v2) faults.push(...legacyFaults(body, at));
  const nonce = body['nonce'];
  if (typeof nonce === 'string') faults.push(...lengthFaults([...at, 'nonce'], nonce, 0, 25));
  return faults;
}

function legacyFaults(body: Json, at: Path): Fault[] {
  return ['content', 'embeds', 'poll', 'sticker_ids']
    .filter((name) => {
      const value = body[name];
      return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== '';
    })
    .map((name) =>
      fault(
        [...at, name],
        'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
        `The '${name}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`,
      ),
    );
}

function embedFaults(embeds: readonly Json[], at: Path): Fault[] {
  let total = 0;
  const count = (value: unknown): void => {
    total += stringOf(value).length;
  };
  const faults = embeds.flatMap((embed, index) => {
    const here: Path = [...at, index];
    const fields = listOf(embed['fields']);
    const footer = isJson(embed['footer']) ? embed['footer']['text'] : undefined;
    const author = isJson(embed['author']) ? embed['author']['name'] : undefined;
    for (const value of [embed['title'], embed['description'], footer, author]) count(value);
    for (const { name, value } of fields) {
      count(name);
      count(value);
    }
    return [
      ...lengthFaults([...here, 'title'], embed['title'], 0, 256),
      ...lengthFaults([...here, 'description'], embed['description'], 0, 4_096),
      ...lengthFaults([...here, 'fields'], fields, 0, 25),
      ...lengthFaults([...here, 'footer', 'text'], footer, 0, 2_048),
      ...lengthFaults([...here, 'author', 'name'], author, 0, 256),
      ...fields.flatMap(({ name, value }, nth) => [
        ...lengthFaults([...here, 'fields', nth, 'name'], name ?? '', 1, 256),
        ...lengthFaults([...here, 'fields', nth, 'value'], value ?? '', 1, 1_024),
      ]),
    ];
  });
  if (total > EMBED_TEXT_MOST)
    faults.push(
      fault(at, 'MAX_EMBED_SIZE_EXCEEDED', `Embed size exceeds maximum size of ${EMBED_TEXT_MOST}`),
    );
  return [...faults, ...lengthFaults(at, [...embeds], 0, 10)];
}

/** `parse` and a list of the same type exclude each other; the specification does not say so. */
function mentionFaults(allowed: unknown, at: Path): Fault[] {
  if (!isJson(allowed)) return [];
  const parse: readonly unknown[] = Array.isArray(allowed['parse']) ? allowed['parse'] : [];
  return [
    ...unknownFields(at, allowed, ['parse', 'users', 'roles', 'replied_user']),
    ...['users', 'roles'].flatMap((kind) => {
      const listed = allowed[kind];
      const items = Array.isArray(listed) ? listed : [];
      return [
        ...lengthFaults([...at, kind], items, 0, 100),
        ...(items.length > 0 && parse.includes(kind)
          ? [
              fault(
                at,
                'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
                `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`,
              ),
            ]
          : []),
      ];
    }),
  ];
}

const ATTACHMENT = [
  'id',
  'filename',
  'description',
  'title',
  'duration_secs',
  'waveform',
  'is_spoiler',
  'is_remix',
];
/** The fields of an attachment that Discord returns, and accepts in an edit that keeps it. */
const SHOWN = [
  'url',
  'proxy_url',
  'size',
  'content_type',
  'width',
  'height',
  'ephemeral',
  'flags',
  'uploaded_filename',
];

function attachmentFaults(attachments: unknown, at: Path): Fault[] {
  const items = listOf(attachments);
  return [
    ...lengthFaults(at, items, 0, ATTACHMENTS_MOST),
    ...items.flatMap((one, index) => [
      ...unknownFields([...at, index], one, [...ATTACHMENT, ...SHOWN]),
      ...(one['id'] === undefined ? [missing([...at, index, 'id'])] : []),
      ...lengthFaults([...at, index, 'description'], one['description'], 0, 1_024),
      ...lengthFaults([...at, index, 'waveform'], one['waveform'], 0, 400),
    ]),
  ];
}
