/** The browser saves what the address answers with. An answer that is no success is a failed download for it, and the page stays. */
export function download(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}
