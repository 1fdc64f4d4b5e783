// Cluster data: an index, and blocks of clusters that are decompressed when they are needed.
// They are in the page or, where they are too large for it, in files beside it.

const waiting = new Map();

// What a file of data calls: its name and its content.
window.lookalikeBlock = (name, content) => waiting.get(name)?.(content);

/** The base64 text of the index or of a block. */
function content(name) {
  const embedded = document.getElementById("data-" + name);
  if (embedded) return Promise.resolve(embedded.textContent);
  const path = document.body.dataset.folder + "/" + name + ".js";
  return new Promise((resolve, reject) => {
    waiting.set(name, resolve);
    const script = element("script", { src: path });
    script.addEventListener("error", () => {
      reject(new Error("The file " + path + " cannot be loaded. Keep the directory " + document.body.dataset.folder + " beside this page."));
    });
    script.addEventListener("load", () => script.remove());
    document.head.append(script);
  });
}

async function unpack(base64) {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/** The index: columns with a row for each cluster, in the order of size. */
async function loadIndex() {
  return unpack(await content("index"));
}

/** The clusters with their documents, block by block; blocks stay in memory. */
class Clusters {
  constructor(index) {
    this.index = index;
    this.blocks = new Map();
  }

  /** The block that a cluster is in. */
  blockOf(position) {
    const starts = this.index.blocks;
    let low = 0, high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= position) low = middle; else high = middle;
    }
    return low;
  }

  block(number) {
    if (!this.blocks.has(number)) {
      const loading = content(String(number)).then(unpack);
      loading.catch(() => this.blocks.delete(number));
      this.blocks.set(number, loading);
    }
    return this.blocks.get(number);
  }

  async cluster(position) {
    const number = this.blockOf(position);
    const row = (await this.block(number))[position - this.index.blocks[number]];
    return { url: row.u || null, hidden: row.h, documents: row.d.map(documentOf) };
  }
}

/** A document of a block by names instead of places. */
function documentOf(row) {
  const [id, file, record, title, text, whole, similarity, rule] = row;
  return { id, file, record, title, text, whole, similarity, rule };
}
