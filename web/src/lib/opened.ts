// Components whose code is loaded when they are shown.
// They are mounted by hand: a component in the page that is known only later would make the first load larger.
import { mount, unmount, type Component } from "svelte";

type Loaded<Props extends Record<string, unknown>> = Promise<{ default: Component<Props> }>;

/** Mounts a component in a place once it is loaded, until the function that it returns is called. */
export function mountIn<Props extends Record<string, unknown>>(target: Element, loading: Loaded<Props>, props: Props): () => void {
  let shown: Record<string, unknown> | undefined;
  let isOver = false;
  void loading.then(({ default: part }) => {
    if (!isOver) shown = mount(part, { target, props });
  });
  return () => {
    isOver = true;
    if (shown) void unmount(shown);
  };
}

/** Shows a dialog that opens itself, and removes it when it closes. */
export function openDialog<Props extends Record<string, unknown>>(loading: Loaded<Props & { onclose: () => void }>, props: Props): void {
  const close = mountIn(document.body, loading, { ...props, onclose: () => close() });
}
