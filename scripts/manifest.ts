/** package.json, as far as a release depends on it. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly man?: readonly string[];
  readonly files?: readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
  readonly engines?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  /** Frameworks of the guard's adapters. */
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly repository?: string | { readonly type?: string; readonly url?: string };
}
