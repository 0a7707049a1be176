import { MEDIA_OPERATIONS } from '../../video/jobs/index.ts';

/** The endpoints of the vision service with a daily limit. Their payloads are not documented. */
const LIBRARY_ENDPOINTS = [
  'images/upload',
  'images/search',
  'videos/upload',
  'videos/search',
  'clips',
] as const;
export type LibraryEndpoint = (typeof LIBRARY_ENDPOINTS)[number];

/** Operations of the vision service that a deployment enables, because the interface names them without path or payload. */
export type VisionOperations = {
  /** Paths by operation; see `visionPaths` of the client. */
  readonly paths: Readonly<Record<string, string>>;
  /** Whether the service lists its models. */
  readonly listsModels: boolean;
  /** Whether the service lists the jobs of a key. */
  readonly listsRequests: boolean;
  readonly library: readonly LibraryEndpoint[];
  /** Origins that the links of a job may lead to, beside that of the service. They receive the API key. */
  readonly linkOrigins: readonly string[];
  /** The model of the service's chat completion. */
  readonly chat?: { readonly model: string; readonly path: string } | undefined;
};

const KNOWN: readonly string[] = ['models', 'requests', ...LIBRARY_ENDPOINTS, ...MEDIA_OPERATIONS];
const CHAT = 'chat:';
const ENTRY = /^([\w.:/-]+)=(\/[\w./{}-]*)$/u;
/** The API key goes there, so without TLS only to this machine. */
const LINKS = /^links=((?:https:\/\/[\w.-]+|http:\/\/(?:127\.0\.0\.1|localhost))(?::\d+)?)$/u;

/**
 * Parses the `operation=/path` entries of a list of models, separated by commas or blanks: `models=/v2/inference/models
 * clips=/v1/clips chat:model-v=/v2/inference/chat/completions links=https://jobs.example.com`. Ignores entries without a
 * slash, which name models. Returns undefined if an entry is malformed.
 */
export function readVisionOperations(text: string): VisionOperations | undefined {
  const paths = new Map<string, string>();
  const linkOrigins: string[] = [];
  let chat: VisionOperations['chat'];
  for (const entry of text.split(/[\s,]+/u).filter((one) => one.includes('/'))) {
    const [, origin] = LINKS.exec(entry) ?? [];
    if (origin !== undefined && URL.canParse(origin)) {
      linkOrigins.push(origin);
      continue;
    }
    const [, name = '', path = ''] = ENTRY.exec(entry) ?? [];
    if (name.startsWith(CHAT) && name.length > CHAT.length) chat = { model: name.slice(CHAT.length), path };
    else if (KNOWN.includes(name)) paths.set(name, path);
    else return undefined;
  }
  return {
    paths: Object.fromEntries(paths),
    listsModels: paths.has('models'),
    listsRequests: paths.has('requests'),
    library: LIBRARY_ENDPOINTS.filter((name) => paths.has(name)),
    linkOrigins,
    chat,
  };
}
