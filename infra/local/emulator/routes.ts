import type { Route } from '../template/resource-types.ts';

/** A matching route, with the values of its path parameters. */
export type RouteMatch = { readonly route: Route; readonly pathParameters: Readonly<Record<string, string>> };

/**
 * The most specific route for a request, as API Gateway chooses it: a full match before a greedy `{proxy+}`, fixed
 * segments before `{id}`, a named method before `ANY_FILE`, `$default` last. `path` is still percent-encoded.
 */
export function matchRoute(routes: readonly Route[], method: string, path: string): RouteMatch | undefined {
  const segments = path.split('/').slice(1);
  let best: { match: RouteMatch; rank: string } | undefined;
  for (const route of routes) {
    const [verb = '', pattern = ''] = route.key.split(' ');
    if (route.key !== '$default' && verb !== 'ANY' && verb !== method) continue;
    const match =
      route.key === '$default'
        ? { rank: '', parameters: {} }
        : matchPattern(pattern.split('/').slice(1), segments);
    if (match === undefined) continue;
    const rank = route.key === '$default' ? '' : `${match.rank}${verb === 'ANY' ? '0' : '1'}`;
    if (best === undefined || rank > best.rank)
      best = { match: { route, pathParameters: match.parameters }, rank };
  }
  return best?.match;
}

/** Ranks compare as text: per segment 3 for fixed, 2 for `{id}`, 1 for greedy. */
function matchPattern(pattern: readonly string[], segments: readonly string[]) {
  const parameters: Record<string, string> = {};
  let rank = '';
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index];
    const name = /^\{(.+)\}$/.exec(part)?.[1];
    if (segment === undefined) return undefined;
    if (name?.endsWith('+')) {
      parameters[name.slice(0, -1)] = decode(segments.slice(index).join('/'));
      return { rank: `${rank}1`, parameters };
    }
    if (name === undefined && part !== segment) return undefined;
    if (name !== undefined && segment === '') return undefined;
    if (name !== undefined) parameters[name] = decode(segment);
    rank += name === undefined ? '3' : '2';
  }
  return segments.length === pattern.length ? { rank, parameters } : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
