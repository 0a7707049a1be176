import { isRecord } from '../../../shared/utils/index.ts';

/** Lookups of intrinsic functions. Both throw for unknown names. */
export type Lookups = {
  /** `Ref`: a parameter, a pseudo parameter or a resource. */
  readonly ref: (name: string) => string;
  readonly attribute: (logicalId: string, name: string) => string;
};

/**
 * Replaces the intrinsic functions in a part of a template by their values. Supports `Ref`, `Fn::GetAtt`, `Fn::Join`,
 * `Fn::Sub`, `Fn::Select` and `Fn::Split`; throws for others, naming the function and its path (`at`).
 */
export function resolve(value: unknown, lookups: Lookups, at: string): unknown {
  if (Array.isArray(value)) return value.map((item, index) => resolve(item, lookups, `${at}[${index}]`));
  if (!isRecord(value)) return value;
  const [key, ...others] = Object.keys(value);
  if (key !== undefined && others.length === 0 && (key === 'Ref' || key.startsWith('Fn::'))) {
    return intrinsic(key, value[key], lookups, `${at}.${key}`);
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, resolve(item, lookups, `${at}.${name}`)]),
  );
}

function intrinsic(name: string, argument: unknown, lookups: Lookups, at: string): unknown {
  switch (name) {
    case 'Ref':
      return lookups.ref(text(argument, at));
    case 'Fn::GetAtt': {
      const [id, attribute] = typeof argument === 'string' ? splitAtDot(argument) : list(argument, at);
      return lookups.attribute(text(id, at), text(resolve(attribute, lookups, at), at));
    }
    case 'Fn::Join': {
      const [separator, parts] = list(argument, at);
      const strings = list(resolve(parts, lookups, at), at).map((part) => text(part, at));
      return strings.join(text(separator, at));
    }
    case 'Fn::Select': {
      const [index, options] = list(argument, at);
      const chosen = list(resolve(options, lookups, at), at)[Number(resolve(index, lookups, at))];
      if (chosen === undefined) throw new Error(`${at}: there is no such element`);
      return chosen;
    }
    case 'Fn::Split': {
      const [separator, whole] = list(argument, at);
      return text(resolve(whole, lookups, at), at).split(text(separator, at));
    }
    case 'Fn::Sub':
      return substitute(argument, lookups, at);
    default:
      throw new Error(`${at}: the local system does not know ${name}`);
  }
}

/** `${Name}` is a Ref, `${Name.Attribute}` an attribute, `${!Name}` becomes `${Name}`. */
function substitute(argument: unknown, lookups: Lookups, at: string): string {
  const [pattern, own] = Array.isArray(argument) ? list(argument, at) : [argument, {}];
  const values = resolve(own, lookups, at);
  return text(pattern, at).replace(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
    if (literal !== '') return `\${${name}}`;
    const value = isRecord(values) ? values[name] : undefined;
    if (value !== undefined) return text(value, at);
    const [id, attribute] = splitAtDot(name);
    return attribute === undefined ? lookups.ref(name) : lookups.attribute(id, attribute);
  });
}

function splitAtDot(whole: string): [string, string | undefined] {
  const index = whole.indexOf('.');
  return index === -1 ? [whole, undefined] : [whole.slice(0, index), whole.slice(index + 1)];
}

function list(value: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${at}: expected a list`);
  return value;
}

function text(value: unknown, at: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Error(`${at}: expected text`);
}
